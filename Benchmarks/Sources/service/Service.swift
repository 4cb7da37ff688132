import FoundationEssentials
import VaultAge
import VaultCrypto
import VaultKit
import VaultRecords
import VaultSealing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A service's use of a vault in a folder, as the library promises it; Scripts/bench-service runs it.
///
///     service updates FOLDER COUNT    one field of COUNT customers, changed in one transaction
///     service adds FOLDER COUNT       COUNT tasks that add a customer each, and the threads that this takes
///     service timer FOLDER COUNT      how late a task is that sleeps 10 ms while COUNT customers are read
///     service fill FOLDER COUNT       makes the vault of `list`
///     service list FOLDER             all customers of it by name, secrets unopened
///     service records FOLDER          the same as records of their type, all at once
///
/// Prints a line for each figure; ends with 1 if one is above its limit.
@main
enum Service {
  static func main() async throws {
    let words = Array(CommandLine.arguments.dropFirst())
    let count = words.count > 2 ? Int(words[2]) ?? 0 : 0
    guard words.count > 1 else {
      print("usage: service updates|adds|timer|fill FOLDER COUNT, service list|records FOLDER")
      exit(64)
    }
    let place = words[1]
    let isGood =
      switch words[0] {
      case "updates": try await Transactions.measure(at: place, count)
      case "adds": try await Adds.measure(at: place, count)
      case "timer": try await Timer.measure(at: place, count)
      case "fill": try await Lists.fill(at: place, count)
      case "list": try await Lists.names(at: place)
      case "records": try await Lists.records(at: place)
      default: false
      }
    if !isGood { exit(1) }
  }
}

/// The vault that is measured, and what opens it: a file beside its folder.
enum Measured {
  static func create(at place: String) async throws -> Vault {
    let identity = try AgeIdentity.generate()
    let text = try AgeIdentityFile.text(identity, created: "measured")
    try text.withBytes { bytes in
      let file = Data(bytes.byteOffsets.map { unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) })
      try file.write(to: identityFile(place))
    }
    return try await Vault.create(
      at: place, slots: [NewSlot(.recipient(identity.recipient))], options: Vault.Options(state: nil))
  }

  static func open(at place: String) async throws -> Vault {
    let bytes = [UInt8](try Data(contentsOf: identityFile(place)))
    return try await Vault.open(
      at: place, unlockingWith: .identities(try AgeIdentityFile.parse(RawSpan(_elements: bytes.span))),
      options: Vault.Options(state: nil))
  }

  private static func identityFile(_ place: String) -> URL { URL(filePath: place + ".identity") }

  static func customer(_ number: Int) -> Customer {
    Customer(
      name: "Customer \(number)", accessKey: EncryptedCodableString("sample-key-\(number)"), atmCode: "000522",
      addedOn: Date(timeIntervalSince1970: 1_597_862_667), street: "\(number) Sample Street", city: "Albuquerque",
      zip: "87112", homePhone: "+1 212-555-1000", email: "customer\(number)@example.com")
  }

  static func customers(_ count: Int) -> [Customer] { (0..<count).map(customer) }
}

func say(_ what: String, _ value: String) { print("\(what): \(value)") }
func milliseconds(_ time: Duration) -> String { "\(Int(time / .milliseconds(1))) ms" }
func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
func megabytes(_ count: Int) -> String { "\(count / 1_000_000) MB" }
