import Testing
import VaultCrypto
import VaultAge

/// A string's UTF-8, or bytes as they are, for calls that take spans.
func bytes(_ text: String) -> [UInt8] { [UInt8](text.utf8) }

func secret(_ bytes: [UInt8]) throws -> SecretBytes { try SecretBytes(copying: RawSpan(_elements: bytes.span)) }
func secret(_ text: String) throws -> SecretBytes { try secret(bytes(text)) }

func contents(_ secret: SecretBytes) -> [UInt8] {
  secret.withBytes { span in span.byteOffsets.map { span[octet: $0] } }
}

func identity(_ text: String) throws -> AgeIdentity {
  let characters = bytes(text)
  return try AgeIdentity(parsing: RawSpan(_elements: characters.span))
}

func header(_ file: [UInt8]) throws -> AgeHeader { try AgeHeader.parse(RawSpan(_elements: file.span)) }
func header(_ text: String) throws -> AgeHeader { try header(bytes(text)) }

func seal(_ plaintext: [UInt8], to recipients: [AgeRecipient]) throws -> [UInt8] {
  try AgeFile.seal(RawSpan(_elements: plaintext.span), to: recipients)
}

func seal(_ plaintext: [UInt8], passphrase: String, workFactor: Int) throws -> [UInt8] {
  let passphrase = bytes(passphrase)
  return try AgeFile.seal(
    RawSpan(_elements: plaintext.span), passphrase: RawSpan(_elements: passphrase.span), workFactor: workFactor)
}

func open(_ file: [UInt8], _ credentials: [AgeCredential], _ encoding: AgeEncoding = .binary) throws -> [UInt8] {
  contents(
    try AgeFile.open(
      RawSpan(_elements: file.span), with: credentials, encoding: encoding, maximumByteCount: 16 << 20))
}

func armor(_ file: [UInt8]) -> [UInt8] { AgeArmor.encode(RawSpan(_elements: file.span)) }
func dearmor(_ text: [UInt8]) throws -> [UInt8] { try AgeArmor.decode(RawSpan(_elements: text.span)) }

/// Gives out `source` in pieces of at most `piece` bytes and keeps what comes back.
final class Pipe {
  private let source: [UInt8]
  private let piece: Int
  private var offset = 0
  private(set) var largestRequest = 0
  private(set) var largestWrite = 0
  private(set) var output: [UInt8] = []

  init(_ source: [UInt8], piece: Int = .max) {
    self.source = source
    self.piece = piece
  }

  func read(_ span: inout MutableRawSpan) -> Int {
    largestRequest = max(largestRequest, span.byteCount)
    let count = min(piece, source.count - offset, span.byteCount)
    for index in 0..<count { span.storeBytes(of: source[offset + index], toByteOffset: index, as: UInt8.self) }
    offset += count
    return count
  }

  func write(_ span: RawSpan) {
    largestWrite = max(largestWrite, span.byteCount)
    for index in span.byteOffsets { output.append(span[octet: index]) }
  }

  func open(_ credentials: [AgeCredential], _ encoding: AgeEncoding = .binary) throws {
    let reader = try AgeReader(with: credentials, encoding: encoding, read: read)
    while let piece = try reader.next() { write(RawSpan(_elements: piece.span)) }
  }

  func seal(to recipients: [AgeRecipient]) throws { try seal(AgeWriter(to: recipients, write: write)) }

  func seal(_ writer: AgeWriter) throws {
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      var elements = piece.mutableSpan
      var room = MutableRawSpan(_elements: &elements)
      let count = read(&room)
      guard count > 0 else { return try writer.finish() }
      try writer.append(RawSpan(_elements: piece.span.extracting(first: count)))
    }
  }
}

/// Checks that `body` throws an `AgeError` of `code`.
func expect(
  _ code: AgeError.Code, line: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
  do {
    try body()
    Issue.record("nothing was thrown instead of: \(code)", sourceLocation: sourceLocation)
  } catch let error as AgeError {
    #expect(error.code == code, sourceLocation: sourceLocation)
    if let line { #expect(error.line == line, sourceLocation: sourceLocation) }
  } catch {
    Issue.record("another kind of error: \(error)", sourceLocation: sourceLocation)
  }
}

/// Reproducible bytes; not random in any other sense.
struct Pattern: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  // SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count { bytes.append(UInt8(truncatingIfNeeded: next())) }
    return bytes
  }
}

/// Sizes at which the payload takes another shape.
let edgeSizes = [0, 1, 15, 16, 17, 65_535, 65_536, 65_537, 131_071, 131_072, 131_073, 200_000]
