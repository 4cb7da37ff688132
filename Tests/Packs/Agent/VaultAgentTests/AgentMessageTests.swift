import Testing
import VaultAgent
import VaultCrypto
import VaultDocument

@Suite("Agent messages")
struct AgentMessageTests {
  private func parse(_ text: String) throws -> AgentMessage {
    try AgentMessage(parsing: RawSpan(_elements: Array(text.utf8).span))
  }

  @Test("a key comes back as it was sent, with the members beside it", arguments: [true, false])
  func roundTrip(withMembers: Bool) throws {
    let key = try SecretBytes.random(count: 32)
    let message = withMembers ? AgentMessage(["record": "r"], key: key) : AgentMessage([:], key: key)
    let frame = try message.frame()
    let parsed = try frame.withBytes { frame in try AgentMessage(parsing: frame.extracting(droppingFirst: 4)) }
    #expect(parsed.key == key)
    #expect(parsed["record"]?.string == (withMembers ? "r" : nil))
  }

  @Test(
    "anything but one object of this version is refused",
    arguments: [
      "", "{}", "[]", "{\"cvault_agent\":2}", "{\"cvault_agent\":1", "{\"cvault_agent\":1}{}",
      "{\"cvault_agent\":1,\"cvault_agent\":1}", "{\"cvault_agent\":1,\"key\":\"short\"}",
      "{\"cvault_agent\":1,\"x\":1,\"key\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"}",
    ])
  func refused(text: String) {
    #expect(throws: AgentError.self) { try parse(text) }
  }

  @Test("a message over the limit is not sent")
  func tooLong() {
    let message = AgentMessage(["x": String(repeating: "a", count: AgentMessage.longest)])
    #expect(throws: AgentError.self) { try message.frame() }
  }
}
