import VaultDocument
import VaultExchange

/// Zip files of other tools. The input is a zip file, and is also packed into one.
enum ArchiveTarget: FuzzTarget {
  static let name = "archive"

  private static let names = ["1password-1pux", "protonpass-json"]

  static func seeds() -> [[UInt8]] {
    let item = #"{"uuid":"u","categoryUuid":"001","overview":{"title":"t","url":"https://a.example"},"details":{}}"#
    let data = Array(#"{"accounts":[{"attrs":{},"vaults":[{"attrs":{"name":"v"},"items":[\#(item)]}]}]}"#.utf8)
    let proton = Array(
      #"{"version":"1","vaults":{"v":{"name":"n","items":[{"itemId":"i","data":{"type":"login"}}]}}}"#.utf8)
    return [
      data, proton, zip([("export.data", data)]), zip([("Proton Pass/data.json", proton)]),
      zip([("export.attributes", Array("{}".utf8)), ("export.data", data), ("files/d__x", [1, 2, 3])]),
    ]
  }

  static func check(_ input: [UInt8]) {
    for name in names {
      let importer = must("the format is there") { () throws(ExchangeError) in try ImportFormats.named(name) }
      require(Reading(input, importer) == Reading(input, importer), "an archive is read alike each time")
      // A file in an archive is read like the file alone; a file that begins like an archive would be read as an
      // archive.
      guard !input.starts(with: Array("PK".utf8)), !input.starts(with: [0xEF]), input.first != 0xFE,
        input.first != 0xFF,
        !input.prefix(2).contains(0)
      else { continue }
      let path = name == "1password-1pux" ? "export.data" : "Proton Pass/data.json"
      let (alone, packed) = (Reading(input, importer), Reading(zip([(path, input)]), importer))
      require(alone == packed, "a packed file is read as it is alone")
      let damaged = zip([(path, input)], changesChecksum: true)
      require(Reading(damaged, importer).error == .malformed, "a file whose checksum does not fit is refused")
    }
  }

  /// A zip file of files that are not packed.
  private static func zip(_ files: [(name: String, data: [UInt8])], changesChecksum: Bool = false) -> [UInt8] {
    var (bytes, directory): ([UInt8], [UInt8]) = ([], [])
    for (name, data) in files {
      let checksum = crc32(data) ^ (changesChecksum ? 1 : 0)
      let sizes = le(checksum, 4) + le(data.count, 4) + le(data.count, 4)
      let offset = bytes.count
      bytes += le(0x0403_4B50, 4) + le(20, 2) + le(0, 8) + sizes + le(name.utf8.count, 2) + le(0, 2)
      bytes += Array(name.utf8) + data
      directory += le(0x0201_4B50, 4) + le(20, 2) + le(20, 2) + le(0, 8) + sizes + le(name.utf8.count, 2)
      directory += le(0, 8) + le(0o100644 << 16, 4) + le(offset, 4) + Array(name.utf8)
    }
    let count = le(files.count, 2)
    let end = le(0x0605_4B50, 4) + le(0, 4) + count + count + le(directory.count, 4) + le(bytes.count, 4) + le(0, 2)
    return bytes + directory + end
  }

  private static func le(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> ($0 * 8) & 0xFF) } }

  private static func crc32(_ data: [UInt8]) -> Int {
    var crc: UInt32 = ~0
    for byte in data {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return Int(~crc)
  }
}
