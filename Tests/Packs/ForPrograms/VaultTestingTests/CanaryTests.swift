import Testing
import VaultDocument
import VaultStorage
import VaultTesting

@Suite("A canary is found in every form that can be read, and only there") struct CanaryTests {
  static let text = "copper \"lantern\" ü 41"

  @Test(
    "as it is, in JSON, percent-encoded, in hex",
    arguments: [
      (text, Canary.Form.text), (#"{"a":"copper \"lantern\" ü 41"}"#, .json),
      ("copper%20%22lantern%22%20%C3%BC%2041", .percent), ("00" + Hex.encode(Array(text.utf8)) + "00", .hex),
      (Hex.encode(Array(text.utf8)).uppercased(), .hex),
    ])
  func forms(_ haystack: String, _ form: Canary.Form) {
    #expect(Canary(Self.text).form(in: Array(haystack.utf8)) == form)
  }

  @Test("in base64, whatever stands around it", arguments: 0..<9)
  func base64(_ offset: Int) {
    let (before, after) = ([UInt8](repeating: 0xfb, count: offset), [UInt8](repeating: 0xff, count: 9 - offset))
    let bytes = before + Array(Self.text.utf8) + after
    for encoded in [Base64.encode(bytes), Base64.encodeURL(bytes)] {
      #expect(Canary(Self.text).form(in: Array(encoded.utf8)) == .base64)
    }
  }

  @Test("another text is none, and neither is a part of it")
  func others() {
    let canary = Canary(Self.text)
    let others = ["", "copper", String(Self.text.dropLast()), Self.text.uppercased(), Hex.encode(Array("copper".utf8))]
    for other in others {
      #expect(canary.form(in: Array(other.utf8)) == nil)
    }
    #expect(Canary.random().text != Canary.random().text)
    #expect(!"\(canary)".contains("copper"))
  }

  @Test("every kind of place of a store is looked at")
  func places() throws {
    let (canary, id) = (Canary.random(), RecordID.random())
    for place in [StoreLocation.header, .checkpoint, .slot(id), .record(id), .trash(id)] {
      let store = MemoryStore()
      try store.apply([.put(place, Array("{\"name\": \"\(canary.text)\"}".utf8))])
      #expect(try canary.sightings(in: store).map(\.description) == [place.relativePath + ": text"])
    }
    #expect(try canary.sightings(in: MemoryStore()).isEmpty)
  }
}
