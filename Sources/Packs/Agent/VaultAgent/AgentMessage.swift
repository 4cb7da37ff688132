package import VaultCrypto
package import VaultDocument
internal import VaultSealing

/// One message of an agent: a JSON object with `"cvault_agent": 1`, and at most one key of 32 bytes.
///
/// A frame is the byte count as four big-endian bytes, and the object without spaces. A key is at the beginning of the
/// object, so that it moves from locked memory to locked memory.
package struct AgentMessage: Sendable {
  /// The maximum size of an object in bytes.
  package static let longest = 1 << 20
  /// The size of the byte count.
  static let headByteCount = 4
  static let marker = "{\"cvault_agent\":1"
  private static let keyHead = Array((marker + ",\"key\":\"").utf8)
  private static let keyByteCount = 32

  package var members: JSONObject
  package var key: SecretBytes?

  package init(_ members: KeyValuePairs<String, any DocumentValue>, key: SecretBytes? = nil) {
    self.members = JSONObject(members: members)
    self.key = key
  }

  package subscript(name: String) -> JSONValue? { members[name] }

  /// The whole frame, in locked memory.
  package func frame() throws(AgentError) -> SecretBytes {
    guard let rest = try? JSONValue.object(members).compactBytes(limits: .exchange) else {
      throw AgentError(.malformed, "a message is too long")
    }
    let head = key == nil ? Array(Self.marker.utf8) : Self.keyHead
    let digitCount = key == nil ? 0 : Base64.encodedCount(of: Self.keyByteCount) + 1
    // The object's own brace becomes a comma, or the closing brace.
    let count = head.count + digitCount + (members.isEmpty ? 1 : rest.count)
    guard count <= Self.longest else { throw AgentError(.malformed, "a message is too long") }
    do throws(CryptoError) {
      return try SecretBytes(byteCount: Self.headByteCount + count) { output in
        for shift in [24, 16, 8, 0] { output.append(UInt8(truncatingIfNeeded: count >> shift)) }
        for byte in head { output.append(byte) }
        key?.withBytes { key in Base64.append(Span(_bytes: key), to: &output) }
        if key != nil { output.append(UInt8(ascii: "\"")) }
        output.append(UInt8(ascii: members.isEmpty ? "}" : ","))
        if !members.isEmpty { for byte in rest.dropFirst() { output.append(byte) } }
      }
    } catch {
      throw AgentError(.memory, "the locked memory for secrets is full")
    }
  }

  /// The byte count of a frame; nil if it is too large, or too small for any object.
  static func count(in head: [UInt8]) -> Int? {
    let count = head.prefix(headByteCount).reduce(0) { $0 << 8 | Int($1) }
    return (marker.utf8.count + 1...longest).contains(count) ? count : nil
  }

  package init(parsing object: RawSpan) throws(AgentError) {
    let bytes = Span<UInt8>(_bytes: object)
    let digitCount = Base64.encodedCount(of: Self.keyByteCount)
    var rest: [UInt8]
    if Self.begins(bytes, Self.keyHead) {
      let end = Self.keyHead.count + digitCount
      guard bytes.count > end + 1, bytes[end] == UInt8(ascii: "\"") else { throw Self.malformed }
      key = try Self.key(bytes.extracting(Self.keyHead.count..<end))
      rest = Array(Self.marker.utf8) + object.extracting(end + 1..<object.byteCount).copiedBytes()
    } else {
      rest = object.copiedBytes()
    }
    guard case .object(var members)? = try? JSONParser.parse(rest, limits: .exchange),
      members["cvault_agent"] == .number(JSONNumber(1)), members["key"] == nil
    else { throw Self.malformed }
    members["cvault_agent"] = nil
    self.members = members
  }

  static let malformed = AgentError(.malformed, "the message does not have the form of this version")

  private static func key(_ digits: Span<UInt8>) throws(AgentError) -> SecretBytes {
    let key: SecretBytes?
    do throws(CryptoError) {
      key = try .key(ofBase64: digits)
    } catch {
      throw AgentError(.memory, "the locked memory for secrets is full")
    }
    guard let key else { throw malformed }
    return key
  }

  private static func begins(_ bytes: Span<UInt8>, _ start: [UInt8]) -> Bool {
    bytes.count >= start.count && start.indices.allSatisfy { bytes[$0] == start[$0] }
  }
}

/// Why an agent could not be asked, or did not do what it was asked.
package typealias AgentError = Fault<AgentLayer>

/// The agent that holds keys.
package enum AgentLayer: FaultLayer {}

extension AgentError {
  package init(_ code: Code, _ reason: String) { self.init(layer: code, reason) }
}

extension FaultCode<AgentLayer> {
  /// The bytes are not a message.
  package static var malformed: Self { Self() }
  /// There is no agent, or it ended meanwhile.
  package static var gone: Self { Self() }
  /// The agent takes requests but does not answer: it was stopped, or is stuck.
  package static var silent: Self { Self() }
  /// The socket, folder or peer does not belong to this user alone.
  package static var foreign: Self { Self() }
  /// The agent does not do that, or not for this record or session.
  package static var refused: Self { Self() }
  /// The locked memory is full.
  package static var memory: Self { Self() }
}
