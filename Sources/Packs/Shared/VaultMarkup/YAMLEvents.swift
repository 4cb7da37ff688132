internal import CDynamicLibraries
internal import DynamicLibraries

/// The events of a YAML text; owns a parser of libyaml.
@safe package final class YAMLEvents {
  /// `yaml_event_type_t`.
  package enum Kind: Int32, Sendable {
    case none, streamStart, streamEnd, documentStart, documentEnd, alias, scalar, sequenceStart, sequenceEnd
    case mappingStart, mappingEnd
  }

  /// `yaml_scalar_style_t`.
  package enum Style: Int32, Sendable {
    case any, plain, singleQuoted, doubleQuoted, literal, folded
  }

  package struct Event: Sendable {
    package let kind: Kind
    /// From 1.
    package let line: Int
    package fileprivate(set) var hasAnchor = false
    package fileprivate(set) var tag: String?
    package fileprivate(set) var text = ""
    package fileprivate(set) var style = Style.any
    /// Whether a scalar stands without quotes and is not a block.
    package var isPlain: Bool { style == .plain }
  }

  private let library: LibYAML
  private let text: UnsafeMutableBufferPointer<UInt8>
  private let parser: UnsafeMutableRawPointer

  package init(_ bytes: [UInt8]) throws(MarkupError) {
    guard let library = LibYAML.shared else {
      throw MarkupError(.unsupported, "needs the library libyaml (Debian: libyaml-0-2), which is not installed")
    }
    self.library = library
    unsafe text = UnsafeMutableBufferPointer.allocate(capacity: max(bytes.count, 1))
    _ = unsafe text.initialize(from: bytes)
    // `yaml_parser_t` has 480 bytes in version 0.2 on 64 bits; its content is private to the library.
    unsafe parser = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 16)
    guard unsafe library.initialize(parser) == 1 else { throw MarkupError(.reading, "there is no memory for a parser") }
    unsafe library.setInput(parser, text.baseAddress, bytes.count)
  }

  deinit {
    unsafe library.delete(parser)
    unsafe parser.deallocate()
    unsafe text.deallocate()
  }

  /// The next event. After the end of the stream, and after an error, its kind is `none`.
  package func next() throws(MarkupError) -> Event {
    var event = unsafe late_yaml_event()
    guard unsafe library.parse(parser, &event) == 1 else {
      throw MarkupError(.malformed, "is not valid YAML", line: line)
    }
    defer { unsafe library.deleteEvent(&event) }
    line = Int(unsafe event.start.line) + 1
    var result = Event(kind: Kind(rawValue: unsafe event.type) ?? .none, line: line)
    switch result.kind {
    case .scalar:
      let scalar = unsafe event.data.scalar
      result.hasAnchor = unsafe scalar.anchor != nil
      result.tag = unsafe scalar.tag.map { unsafe String(cString: $0) }
      let value = unsafe UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      result.text = unsafe String(decoding: value, as: UTF8.self)
      result.style = Style(rawValue: unsafe scalar.style) ?? .any
    case .sequenceStart, .mappingStart:
      let collection = unsafe event.data.collection
      result.hasAnchor = unsafe collection.anchor != nil
      result.tag = unsafe collection.tag.map { unsafe String(cString: $0) }
    default: break
    }
    return result
  }

  private var line = 1
}

/// The functions of libyaml that are called.
@safe struct LibYAML: @unchecked Sendable {
  // @unchecked: functions of a library that is never closed.
  typealias Parser = UnsafeMutableRawPointer
  typealias Event = UnsafeMutablePointer<late_yaml_event>

  fileprivate let initialize: @convention(c) (Parser?) -> Int32
  fileprivate let delete: @convention(c) (Parser?) -> Void
  fileprivate let setInput: @convention(c) (Parser?, UnsafePointer<UInt8>?, Int) -> Void
  fileprivate let parse: @convention(c) (Parser?, Event?) -> Int32
  fileprivate let deleteEvent: @convention(c) (Event?) -> Void

  static let shared = DynamicLibrary(["libyaml-0.so.2", "libyaml-0.2.dylib", "libyaml.dylib"]).flatMap(LibYAML.init)

  private init?(_ library: DynamicLibrary) {
    guard
      let initialize = unsafe library.function(
        "yaml_parser_initialize", as: (@convention(c) (Parser?) -> Int32).self),
      let delete = unsafe library.function("yaml_parser_delete", as: (@convention(c) (Parser?) -> Void).self),
      let setInput = unsafe library.function(
        "yaml_parser_set_input_string", as: (@convention(c) (Parser?, UnsafePointer<UInt8>?, Int) -> Void).self),
      let parse = unsafe library.function("yaml_parser_parse", as: (@convention(c) (Parser?, Event?) -> Int32).self),
      let deleteEvent = unsafe library.function("yaml_event_delete", as: (@convention(c) (Event?) -> Void).self)
    else { return nil }
    unsafe (self.initialize, self.delete, self.setInput) = (initialize, delete, setInput)
    unsafe (self.parse, self.deleteEvent) = (parse, deleteEvent)
  }
}

extension String {
  /// Whether a reader of YAML 1.1 or 1.2 could read an unquoted scalar as something other than a text.
  package var mayBeTypedInYAML: Bool {
    let words: Set<String> = [
      "", "~", "!", "&", "*", "null", "y", "n", "yes", "no", "true", "false", "on", "off", "=", "<<", ".inf", "-.inf",
      "+.inf", ".nan",
    ]
    if words.contains(lowercased()) { return true }
    guard let first = utf8.first, "0123456789+-.".utf8.contains(first) else { return false }
    return utf8.allSatisfy { "0123456789abcdefxotzABCDEFXOTZ_+-.: ".utf8.contains($0) }
  }
}
