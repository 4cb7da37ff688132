import VaultCrypto
import VaultRecords
import VaultSealing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Encodes a customer with two sealed fields and one with plain strings, in turns, and prints the medians.
///
/// Usage: encode-floor [ROUNDS]. A round is 200 encodings of each; which of the two goes first alternates. The context
/// is warm and belongs to no record: the envelope is not part of it. Prints one line of JSON, nanoseconds an encoding.
/// encode-floor once encodes 1,000 customers with sealed fields and nothing else, for counting instructions.
@main
enum EncodeFloor {
  static let batch = 200

  static func main() throws {
    let context = try SealingContext(applicationKey: .random(count: 32), bound: ["benchmark"])
    let sealing = JSONEncoder.sealing(with: context)
    if CommandLine.arguments.dropFirst().first == "once" {
      for _ in 0..<(1_000 / batch) { _ = try time(sealing, sealedCustomer) }
    } else {
      try compare(sealing, rounds: CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 200)
    }
  }

  static func compare(_ sealing: JSONEncoder, rounds: Int) throws {
    let plain = JSONEncoder()
    plain.outputFormatting = .withoutEscapingSlashes
    plain.dateEncodingStrategy = .iso8601
    var ours: [Double] = []
    var floor: [Double] = []
    for round in -5..<rounds {
      let sealedFirst = round.isMultiple(of: 2)
      let early = try sealedFirst ? time(sealing, sealedCustomer) : time(plain, plainCustomer)
      let late = try sealedFirst ? time(plain, plainCustomer) : time(sealing, sealedCustomer)
      guard round >= 0 else { continue }  // the first rounds warm caches up
      ours.append(sealedFirst ? early : late)
      floor.append(sealedFirst ? late : early)
    }
    let ratio = median(zip(ours, floor).map { $0 / $1 })
    print(#"{"rounds": \#(rounds), "vault": \#(median(ours)), "floor": \#(median(floor)), "ratio": \#(ratio)}"#)
  }

  /// Nanoseconds for one encoding, over a batch.
  static func time(_ encoder: JSONEncoder, _ value: some Encodable) throws -> Double {
    var byteCount = 0
    let duration = try ContinuousClock().measure {
      for _ in 0..<batch { byteCount += try encoder.encode(value).count }
    }
    precondition(byteCount > batch * 200, "an encoder that leaves members out measures nothing")
    return duration / .nanoseconds(batch)
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  static let addedOn = Date(timeIntervalSince1970: 1_597_862_667)

  static let sealedCustomer = Customer(
    name: "Shai Mishali", accessKey: "~7hgUh2a*4<%z#g4qM%Ekx9dl9Wg~", atmCode: "000522", addedOn: addedOn,
    street: "3828 Piermont Drive", city: "Albuquerque", zip: "87112", homePhone: "+1 212-555-1000",
    cellularPhone: "+44 7700 900100", email: "customer1@example.com", website: "https://example.com/customers/1")

  static let plainCustomer = PlainCustomer(
    name: "Shai Mishali", accessKey: "~7hgUh2a*4<%z#g4qM%Ekx9dl9Wg~", atmCode: "000522", addedOn: addedOn,
    street: "3828 Piermont Drive", city: "Albuquerque", zip: "87112", homePhone: "+1 212-555-1000",
    cellularPhone: "+44 7700 900100", email: "customer1@example.com", website: "https://example.com/customers/1")
}
