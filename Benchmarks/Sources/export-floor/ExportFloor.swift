#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One plain pass of `JSONDecoder` over the record files of a vault: nothing is verified, opened or written.
///
/// Usage: export-floor VAULT. Prints how many records it decoded and how many characters their texts have, so that no
/// part of the work can be left out.
@main
enum ExportFloor {
  static func main() throws {
    guard CommandLine.arguments.count == 2 else { return print("usage: export-floor VAULT") }
    let records = URL(filePath: CommandLine.arguments[1]).appending(path: "records").path
    let files = FileManager.default
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    var count = 0
    var characters = 0
    for folder in try files.contentsOfDirectory(atPath: records).sorted() {
      for name in try files.contentsOfDirectory(atPath: records + "/" + folder).sorted() {
        let data = try Data(contentsOf: URL(filePath: records + "/" + folder + "/" + name))
        characters += try decoder.decode(PlainCustomer.self, from: data).characterCount
        count += 1
      }
    }
    print("\(count) records, \(characters) characters")
  }
}
