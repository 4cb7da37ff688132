internal import CDynamicLibraries
internal import DynamicLibraries

/// The events of a YAML text, one after the other; owns a parser of libyaml.
@safe final class YAMLEvents {
  /// `yaml_event_type_t`.
  enum Kind: Int32 {
    case none, streamStart, streamEnd, documentStart, documentEnd, alias, scalar, sequenceStart, sequenceEnd
    case mappingStart, mappingEnd
  }

  struct Event {
    let kind: Kind
    /// From 1.
    let line: Int
    var hasAnchor = false
    var tag: String?
    var text = ""
    /// Whether a scalar stands without quotes and is not a block.
    var isPlain = false
  }

  private let library: LibYAML
  private let text: UnsafeMutableBufferPointer<UInt8>
  private let parser: UnsafeMutableRawPointer

  /// - Throws: ``ExchangeError`` `.reading` without memory.
  init(_ library: LibYAML, _ bytes: [UInt8]) throws(ExchangeError) {
    self.library = library
    unsafe text = UnsafeMutableBufferPointer.allocate(capacity: max(bytes.count, 1))
    _ = unsafe text.initialize(from: bytes)
    // `yaml_parser_t` has 480 bytes in version 0.2 on 64 bits; what is inside is the library's own.
    unsafe parser = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 16)
    guard unsafe library.initialize(parser) == 1 else { throw ExchangeError(.reading, "no memory for a parser") }
    unsafe library.setInput(parser, text.baseAddress, bytes.count)
  }

  deinit {
    unsafe library.delete(parser)
    unsafe parser.deallocate()
    unsafe text.deallocate()
  }

  /// The next event.
  ///
  /// - Throws: ``ExchangeError`` `.malformed` with the line of the event before.
  func next() throws(ExchangeError) -> Event {
    var event = unsafe late_yaml_event()
    guard unsafe library.parse(parser, &event) == 1 else {
      throw ExchangeError(.malformed, "is no YAML", at: SourcePlace(line: line))
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
      // 1 is the plain style.
      result.isPlain = unsafe scalar.style == 1
    case .sequenceStart, .mappingStart: result.hasAnchor = unsafe event.data.collection.anchor != nil
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
