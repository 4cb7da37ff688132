internal import VaultDocument

/// The file that 1Password 8 exports: a zip of `export.attributes`, `export.data` and attachments.
struct OnePassword1PUXImporter: Importer {
  let format = ImportFormat(
    "1password-1pux", title: "1Password 8, 1PUX", versions: "export format 3, its export.data or an item of it alone",
    keeps: "items with all fields and attachments as secrets, old passwords as former values, vaults, archived and "
      + "favorites as tags, dates as fields; the look of forms and the settings of accounts and vaults are left out")

  func detects(_ sample: ImportSample) -> Bool {
    if ZipArchive.begins(sample.head) {
      return sample.name.lowercased().hasSuffix(".1pux")
        || ["export.attributes", "export.data"].contains { !sample.head.ranges(of: Array($0.utf8)).isEmpty }
    }
    return sample.outline.has("accounts[].vaults", "accounts[].attrs") || sample.outline.has("categoryUuid", "details")
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let bytes = try source.readAll()
    guard ZipArchive.begins(bytes) else {
      let text = try JSONReading.text(of: ImportSource(name: source.name, bytes: bytes), options: options)
      return ImportedItems(try OnePasswordReading(nil).items(of: try JSONReading.value(of: text)))
    }
    let archive = try ZipArchive(bytes)
    guard let data = try archive.file("export.data") else {
      throw ExchangeError(.malformed, "does not contain export.data, the part with the items")
    }
    var items = try OnePasswordReading(archive).items(of: try JSONReading.value(of: data))
    if let attributes = try archive.file("export.attributes") {
      let value = try JSONReading.value(of: attributes)
      items.append(.leaves(value.lines(at: MemberPath([.member("export.attributes")]), .mapped(to: "."))))
    }
    return ImportedItems(items)
  }
}

/// The state while one export is read.
private struct OnePasswordReading {
  private var files: ArchiveFiles?

  init(_ archive: ZipArchive?) {
    files = archive.map { ArchiveFiles($0, without: ["export.data", "export.attributes"]) }
  }

  func items(of document: JSONValue) throws(ExchangeError) -> [ImportedItem] {
    guard let root = Self.whole(document), let accounts = root["accounts"]?.array else {
      throw ExchangeError(.malformed, "has no list of accounts")
    }
    var reading = self
    var items: [ImportedItem] = [.leaves(root.lines(at: .root, without: ["accounts"]) { _ in .unknown })]
    for (index, account) in accounts.enumerated() {
      let path = MemberPath([.member("accounts"), .index(index)])
      items.append(.leaves(account.lines(at: path, without: "vaults") { _ in .container }))
      for (number, vault) in (account["vaults"]?.array ?? []).enumerated() {
        items += try reading.items(of: vault, at: path.appending("vaults").appending(number))
      }
    }
    return items + [.leaves(reading.files?.lines ?? [])]
  }

  /// Wraps a single item in a document of one vault.
  private static func whole(_ document: JSONValue) -> JSONObject? {
    guard document["categoryUuid"] != nil, document["accounts"] == nil else { return document.object }
    let vault = JSONValue.members(["items": [document]])
    return JSONValue.members(["accounts": [JSONValue.members(["vaults": [vault]])]]).object
  }

  private mutating func items(of vault: JSONValue, at path: MemberPath) throws(ExchangeError) -> [ImportedItem] {
    let name = vault["attrs"]?["name"]?.string ?? ""
    let lines = vault.leafPaths(at: path).filter { !$0.path.description.hasPrefix("\(path).items[") }.map { leaf in
      let isName = ["\(path).attrs.name", "\(path).attrs.uuid", "\(path).attrs.type"].contains(leaf.path.description)
      let outcome: LedgerLine.Outcome = isName ? .mapped(to: "tags") : .container
      return LedgerLine(SourcePlace(path: leaf.path.description), leaf.value.leafText.isEmpty ? .empty : outcome)
    }
    var items: [ImportedItem] = [.leaves(lines)]
    for (index, item) in (vault["items"]?.array ?? []).enumerated() {
      let place = SourcePlace(path: path.appending("items").appending(index).description)
      // In an older form, each item is under a member that names its type.
      var builder = RecordBuilder(format: "1password-1pux", place: place)
      builder.add(name, .list("tags"), as: "vault")
      builder.kind = OnePasswordRules.kinds[item["categoryUuid"]?.string ?? ""]
      builder.take(item, at: place, by: OnePasswordRules.item)
      try attach(item, to: &builder)
      items.append(.record(try builder.record(kind: item["categoryUuid"] == nil ? "login" : "custom")))
    }
    return items
  }

  private mutating func attach(_ item: JSONValue, to builder: inout RecordBuilder) throws(ExchangeError) {
    for (path, value) in item.leafPaths(at: .root) where path.components.last == .member("documentId") {
      let above = MemberPath(Array(path.components.dropLast()))
      guard let id = value.string else { continue }
      let name = (try? item.value(at: above.appending("fileName")))?.string ?? id
      try files?.attach("files/\(id)", as: name, onlyFirst: true, to: &builder)
    }
  }
}

extension JSONValue {
  /// Lines for all members except one, which is read as entries.
  fileprivate func lines(
    at path: MemberPath, without entries: String, _ outcome: (String) -> LedgerLine.Outcome
  ) -> [LedgerLine] {
    object.map { $0.isEmpty ? lines(at: path, .empty) : $0.lines(at: path, without: [entries], outcome) }
      ?? lines(at: path, .unknown)
  }
}
