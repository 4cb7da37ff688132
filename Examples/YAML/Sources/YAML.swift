import VaultCrypto
import VaultSealing
import Yams

/// The settings that a service reads at its start: YAML that people edit, with two sealed members.
struct Settings: Codable, Equatable {
  struct Database: Codable, Equatable {
    var host: String
    var password: EncryptedCodableString
  }

  var service: String
  var databases: [Database]
  var limits: Sealed<[String: Int]>
}

struct WrongResult: Error {}

@main
struct YAML {
  static func main() throws {
    let context = try SealingContext(applicationKey: .random(count: 32), bound: ["settings"])
    let settings = Settings(
      service: "toy store", databases: [.init(host: "db.example.com", password: "sample-password: \"quoted\" #1")],
      limits: Sealed(["orders": 40]))
    let text = try YAMLEncoder().encode(settings, userInfo: [.sealingContext: context])
    guard text.contains("host: db.example.com"), !text.contains("sample"), !text.contains("orders") else {
      throw WrongResult()
    }
    let again = try YAMLDecoder().decode(Settings.self, from: text, userInfo: [.sealingContext: context])
    guard again == settings else { throw WrongResult() }
    // An unchanged document is written as it was, tokens included.
    guard try YAMLEncoder().encode(again, userInfo: [.sealingContext: context]) == text else { throw WrongResult() }
    guard (try? YAMLDecoder().decode(Settings.self, from: text)) == nil else { throw WrongResult() }
    print("YAML: a document with 2 sealed members came back the same; without the key it did not")
  }
}
