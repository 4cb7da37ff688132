internal import CDynamicLibraries
internal import DynamicLibraries

package final class XMLElement {
  package let name: String
  package let attributes: [(name: String, value: String)]
  package let line: Int
  package fileprivate(set) var children: [XMLElement] = []
  /// The text directly in it. Databases of KeePass protect this text, and their reader puts the clear text here.
  package var text = ""

  fileprivate init(_ name: String, _ attributes: [(name: String, value: String)], line: Int) {
    self.name = name
    self.attributes = attributes
    self.line = line
  }

  package func first(_ name: String) -> XMLElement? { children.first { $0.name == name } }
  package func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }
  package subscript(attribute name: String) -> String? { attributes.first { $0.name == name }?.value }
}

/// Reads documents with expat, which is opened for the first document.
///
/// Document types are refused, and with them every entity that could grow or refer outside.
package enum XMLReader {
  static let maximumDepth = 100
  static let maximumElementCount = 5_000_000

  package static func root(of bytes: [UInt8]) throws(MarkupError) -> XMLElement {
    guard let expat = Expat.shared else {
      throw MarkupError(.unsupported, "needs the library expat (Debian: libexpat1), which is not installed")
    }
    let builder = XMLBuilder()
    let fault = unsafe expat.parse(bytes, builder)
    if let error = builder.error { throw error }
    if let fault {
      throw MarkupError(.malformed, "the text is not well-formed XML", line: fault.line, column: fault.column)
    }
    guard let root = builder.root else { throw MarkupError(.malformed, "the text is not well-formed XML") }
    return root
  }
}

/// Collects elements while expat reads.
private final class XMLBuilder {
  var root: XMLElement?
  var error: MarkupError?
  private var open: [XMLElement] = []
  private var texts: [[UInt8]] = []
  private var count = 0

  /// Returns false to stop reading.
  func begin(_ name: String, _ attributes: [(name: String, value: String)], line: Int) -> Bool {
    count += 1
    guard open.count < XMLReader.maximumDepth, count <= XMLReader.maximumElementCount else {
      error = MarkupError(
        .tooLarge, "the document has too many elements, or elements that are nested too deeply", line: line)
      return false
    }
    let element = XMLElement(name, attributes, line: line)
    open.last?.children.append(element)
    if open.isEmpty { root = element }
    open.append(element)
    texts.append([])
    return true
  }

  func append(_ text: UnsafeBufferPointer<UInt8>) {
    guard !texts.isEmpty else { return }
    unsafe texts[texts.count - 1].append(contentsOf: text)
  }

  func end() {
    guard let element = open.popLast(), let text = texts.popLast() else { return }
    let isText = element.children.isEmpty || text.contains { $0 > 0x20 }
    element.text = isText ? String(decoding: text, as: UTF8.self) : ""
  }
}

/// The functions of expat that are called.
@safe private struct Expat: @unchecked Sendable {
  // @unchecked: functions of a library that is never closed.
  typealias Parser = UnsafeMutableRawPointer
  typealias User = UnsafeMutableRawPointer
  typealias Text = UnsafePointer<CChar>
  typealias Start = @convention(c) (User?, Text?, UnsafeMutablePointer<Text?>?) -> Void
  typealias End = @convention(c) (User?, Text?) -> Void
  typealias Characters = @convention(c) (User?, Text?, Int32) -> Void
  typealias Doctype = @convention(c) (User?, Text?, Text?, Text?, Int32) -> Void

  let create: @convention(c) (Text?) -> Parser?
  let free: @convention(c) (Parser?) -> Void
  let setUser: @convention(c) (Parser?, User?) -> Void
  let setElements: @convention(c) (Parser?, Start?, End?) -> Void
  let setCharacters: @convention(c) (Parser?, Characters?) -> Void
  let setDoctype: @convention(c) (Parser?, Doctype?) -> Void
  let feed: @convention(c) (Parser?, Text?, Int32, Int32) -> Int32
  let stop: @convention(c) (Parser?, UInt8) -> UInt8
  let line: @convention(c) (Parser?) -> UInt
  let column: @convention(c) (Parser?) -> UInt

  static let shared = DynamicLibrary(["libexpat.so.1", "libexpat.1.dylib"]).flatMap(Expat.init)

  private init?(_ library: DynamicLibrary) {
    guard let create = unsafe library.function("XML_ParserCreate", as: (@convention(c) (Text?) -> Parser?).self),
      let free = unsafe library.function("XML_ParserFree", as: (@convention(c) (Parser?) -> Void).self),
      let setUser = unsafe library.function("XML_SetUserData", as: (@convention(c) (Parser?, User?) -> Void).self),
      let setElements = unsafe library.function(
        "XML_SetElementHandler", as: (@convention(c) (Parser?, Start?, End?) -> Void).self),
      let setCharacters = unsafe library.function(
        "XML_SetCharacterDataHandler", as: (@convention(c) (Parser?, Characters?) -> Void).self),
      let setDoctype = unsafe library.function(
        "XML_SetStartDoctypeDeclHandler", as: (@convention(c) (Parser?, Doctype?) -> Void).self),
      let feed = unsafe library.function(
        "XML_Parse", as: (@convention(c) (Parser?, Text?, Int32, Int32) -> Int32).self),
      let stop = unsafe library.function("XML_StopParser", as: (@convention(c) (Parser?, UInt8) -> UInt8).self),
      let line = unsafe library.function("XML_GetCurrentLineNumber", as: (@convention(c) (Parser?) -> UInt).self),
      let column = unsafe library.function("XML_GetCurrentColumnNumber", as: (@convention(c) (Parser?) -> UInt).self)
    else { return nil }
    unsafe (self.create, self.free, self.setUser, self.setElements) = (create, free, setUser, setElements)
    unsafe (self.setCharacters, self.setDoctype, self.feed) = (setCharacters, setDoctype, feed)
    unsafe (self.stop, self.line, self.column) = (stop, line, column)
  }

  /// The state behind the user pointer of the handlers.
  @safe private final class Reading {
    let expat: Expat
    let parser: Parser
    let builder: XMLBuilder

    init(_ expat: Expat, parser: Parser, builder: XMLBuilder) {
      self.expat = expat
      unsafe self.parser = parser
      self.builder = builder
    }

    var currentLine: Int { Int(unsafe expat.line(parser)) }
    func end() { _ = unsafe expat.stop(parser, 0) }

    @unsafe static func of(_ user: User?) -> Reading? {
      unsafe user.map { unsafe Unmanaged<Reading>.fromOpaque($0).takeUnretainedValue() }
    }
  }

  /// Reads a whole document into the builder. Returns the place of the fault, or nil. If the builder has an error,
  /// that error counts instead.
  @unsafe func parse(_ bytes: [UInt8], _ builder: XMLBuilder) -> (line: Int, column: Int)? {
    guard let parser = unsafe create(nil) else { return (1, 1) }
    defer { unsafe free(parser) }
    let reading = unsafe Reading(self, parser: parser, builder: builder)
    return withExtendedLifetime(reading) {
      unsafe setUser(parser, Unmanaged.passUnretained(reading).toOpaque())
      unsafe setElements(parser, Self.onStart, Self.onEnd)
      unsafe setCharacters(parser, Self.onText)
      unsafe setDoctype(parser, Self.onDoctype)
      let isRead = unsafe bytes.withUnsafeBufferPointer { buffer in
        unsafe buffer.withMemoryRebound(to: CChar.self) { unsafe feed(parser, $0.baseAddress, Int32($0.count), 1) == 1 }
      }
      return isRead ? nil : (Int(unsafe line(parser)), Int(unsafe column(parser)) + 1)
    }
  }

  private static let onStart: Start = { user, name, attributes in
    guard let reading = unsafe Reading.of(user), let name = unsafe name else { return }
    var pairs: [(name: String, value: String)] = []
    var next = unsafe attributes
    while let list = unsafe next, let name = unsafe list[0], let value = unsafe list[1] {
      unsafe pairs.append((String(cString: name), String(cString: value)))
      unsafe next = list + 2
    }
    if !reading.builder.begin(unsafe String(cString: name), pairs, line: reading.currentLine) { reading.end() }
  }

  private static let onEnd: End = { user, _ in unsafe Reading.of(user)?.builder.end() }

  private static let onText: Characters = { user, text, count in
    guard let reading = unsafe Reading.of(user), let text = unsafe text else { return }
    unsafe text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) { start in
      unsafe reading.builder.append(UnsafeBufferPointer(start: start, count: Int(count)))
    }
  }

  private static let onDoctype: Doctype = { user, _, _, _, _ in
    guard let reading = unsafe Reading.of(user) else { return }
    reading.builder.error = MarkupError(
      .unsupported, "has a document type, which is refused because it can define entities",
      line: reading.currentLine)
    reading.end()
  }
}
