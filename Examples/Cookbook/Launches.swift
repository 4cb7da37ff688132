import CookbookSupport
import FoundationEssentials
import VaultDocument
import VaultRecords
import VaultSealing

/// A launch made flat. This is its new encoding; the old one, SpaceX's API version 3, is that of ``OldLaunch``.
struct Launch: ExampleRecord {
  struct Timeline: Codable, Equatable, Sendable {
    var liftoff: Int?
    var mainEngineCutoff: Int?
    var firstCutoff: Int?

    enum CodingKeys: String, CodingKey {
      case liftoff
      case mainEngineCutoff = "meco"
      case firstCutoff = "seco-1"
    }
  }

  var flight: Int
  var mission: String
  var date: Date
  var rocket: String
  var site: String
  var patch: String?
  var payloads: [String]
  var timeline: Timeline?
  /// Ours, not the API's: the code that opens the feed of the tracking station.
  var feedCode: EncryptedCodableString?

  static var kindName: String { "launch" }
  static var title: String { "mission" }
  static var secrets: [String] { ["feedCode"] }
}

/// The same launch as the API has it: rocket, site and patch in three nested objects, payloads two levels below.
struct OldLaunch: Codable, Equatable {
  var launch: Launch

  enum CodingKeys: String, CodingKey {
    case timeline, rocket, links
    case flight = "flight_number"
    case mission = "mission_name"
    case date = "launch_date_utc"
    case site = "launch_site"
    case feedCode = "feed_code"
  }

  init(_ launch: Launch) { self.launch = launch }

  init(from decoder: any Decoder) throws {
    let old = try decoder.container(keyedBy: CodingKeys.self)
    launch = Launch(
      flight: try old.decode(Int.self, forKey: .flight), mission: try old.decode(String.self, forKey: .mission),
      date: try old.decode(Date.self, forKey: .date),
      rocket: try decoder.container(at: "rocket").decode(String.self, forKey: "rocket_name"),
      site: try decoder.container(at: "launch_site").decode(String.self, forKey: "site_name_long"),
      patch: try old.nestedContainerIfPresent(forKey: .links)?.decodeIfPresent(String.self, forKey: "mission_patch"),
      payloads: try decoder.container(at: "rocket", "second_stage").mapItems(forKey: "payloads") { payloads in
        try payloads.nestedContainer(keyedBy: AnyCodingKey.self).decode(String.self, forKey: "payload_id")
      },
      timeline: try old.decodeIfPresent(Launch.Timeline.self, forKey: .timeline),
      feedCode: try old.decodeIfPresent(EncryptedCodableString.self, forKey: .feedCode))
  }

  func encode(to encoder: any Encoder) throws {
    var old = encoder.container(keyedBy: CodingKeys.self)
    try old.encode(launch.flight, forKey: .flight)
    try old.encode(launch.mission, forKey: .mission)
    try old.encode(launch.date, forKey: .date)
    try old.encode(["site_name_long": launch.site], forKey: .site)
    try old.encode(["mission_patch": launch.patch].compactMapValues { $0 }, forKey: .links)
    try old.encodeIfPresent(launch.timeline, forKey: .timeline)
    try old.encodeIfPresent(launch.feedCode, forKey: .feedCode)
    var rocket = old.nestedContainer(keyedBy: AnyCodingKey.self, forKey: .rocket)
    try rocket.encode(launch.rocket, forKey: "rocket_name")
    var stage = rocket.nestedContainer(keyedBy: AnyCodingKey.self, forKey: "second_stage")
    var payloads = stage.nestedUnkeyedContainer(forKey: "payloads")
    for payload in launch.payloads { try payloads.encode(["payload_id": payload]) }
  }
}

@main
struct Launches {
  static func main() async {
    await Example.run("Launches", types: [Launch.self]) { example in
      // Every file holds one launch; together they are an array.
      let files = try example.files(fixtures: "codable/spacex-v3")
      let array = Data("[".utf8) + Data(files.joined(separator: Data(",".utf8))) + Data("]".utf8)
      let code = "tracking-station-71"
      var launches = try example.decode([OldLaunch].self, from: array).map(\.launch)
      for index in launches.indices { launches[index].feedCode = EncryptedCodableString("\(code)-\(index)") }
      try example.roundTrip(launches, forms: Example.formsWithFractions)
      try example.roundTrip(launches.map { OldLaunch($0) }, forms: Example.formsWithFractions)
      for launch in launches { try await example.store(launch, secret: code) }
      let payloads = launches.flatMap(\.payloads).count
      return "\(launches.count) launches with \(payloads) payloads and "
        + "\(launches.compactMap(\.timeline).count) timelines, each in its old and new encoding and in a vault"
    }
  }
}
