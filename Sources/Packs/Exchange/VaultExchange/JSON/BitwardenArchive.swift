internal import VaultDocument

struct BitwardenArchiveImporter: Importer {
  let format = ImportFormat(
    "bitwarden-zip", title: "Bitwarden, zip with attachments", versions: "2025 and later",
    keeps: "as bitwarden-json, attachments as secrets", idPrefix: "bitwarden-json")

  func detects(_ sample: ImportSample) -> Bool {
    ZipArchive.begins(sample.head)
      && ZipArchive.firstName(sample.head).map { name in
        name == "data.json" || name.begins(with: "attachments/")
      } ?? false
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let archive = try ZipArchive(try source.readAll())
    guard let data = try archive.file("data.json") else {
      throw ExchangeError(.malformed, "does not contain data.json, the part with the items")
    }
    return try BitwardenImporter.items(
      of: try JSONReading.value(of: data), files: ArchiveFiles(archive, without: ["data.json"]))
  }
}
