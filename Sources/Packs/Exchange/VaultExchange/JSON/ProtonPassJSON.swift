internal import VaultDocument

/// Proton Pass's own JSON, alone or in the zip file of the tool.
struct ProtonPassJSONImporter: Importer {
  let format = ImportFormat(
    "protonpass-json", title: "Proton Pass, JSON", versions: "1.0 and later, data.json or the zip file with it",
    keeps: "items with all fields and passkeys, vaults, pinned and deleted as tags, dates as fields; colors of vaults "
      + "and ids of shares are left out, files refused")

  func detects(_ sample: ImportSample) -> Bool {
    if ZipArchive.begins(sample.head) { return !sample.head.ranges(of: Array("Proton Pass/".utf8)).isEmpty }
    return sample.outline.has("vaults", "version") && !sample.outline.has("accounts")
  }

  func items(of source: ImportSource, options: ImportOptions) throws(ExchangeError) -> ImportedItems {
    let bytes = try source.readAll()
    guard ZipArchive.begins(bytes) else {
      let text = try JSONReading.text(of: ImportSource(name: source.name, bytes: bytes), options: options)
      return ImportedItems(try items(of: try JSONReading.value(of: text)))
    }
    let archive = try ZipArchive(bytes)
    guard let name = archive.names.first(where: { $0.hasSuffix("data.json") }), let data = try archive.file(name) else {
      let isSealed = archive.names.contains { $0.hasSuffix(".pgp") }
      throw isSealed
        ? Self.encrypted
        : ExchangeError(.malformed, "does not contain data.json, the part with the items")
    }
    let files = archive.names.filter { $0 != name }.map { file in
      LedgerLine(SourcePlace(path: file), .refused("attached files of Proton Pass are not imported"))
    }
    return ImportedItems(try items(of: try JSONReading.value(of: data)) + [.leaves(files)])
  }

  private static var encrypted: ExchangeError {
    ExchangeError(.unsupported, "is encrypted with PGP", advice: ["export it again without a passphrase"])
  }

  private func items(of document: JSONValue) throws(ExchangeError) -> [ImportedItem] {
    guard let root = document.object, let vaults = root["vaults"]?.object else {
      throw ExchangeError(.malformed, "has no vaults")
    }
    guard root["encrypted"]?.bool != true else {
      throw Self.encrypted
    }
    let known: Set<String> = ["version", "encrypted"]
    var items: [ImportedItem] = [
      .leaves(
        root.lines(at: .root, without: ["vaults"]) { name in known.contains(name) ? .mapped(to: ".") : .container })
    ]
    for (id, vault) in vaults {
      items += try self.items(of: vault, at: MemberPath([.member("vaults"), .member(id)]))
    }
    return items
  }

  private func items(of vault: JSONValue, at path: MemberPath) throws(ExchangeError) -> [ImportedItem] {
    let name = vault["name"]?.string ?? ""
    let lines = vault.object.map { object in
      object.isEmpty
        ? vault.lines(at: path, .empty)
        : object.lines(at: path, without: ["items"]) { $0 == "name" ? .mapped(to: "tags") : .container }
    }
    var items: [ImportedItem] = [.leaves(lines ?? vault.lines(at: path, .unknown))]
    for (index, item) in (vault["items"]?.array ?? []).enumerated() {
      let place = SourcePlace(path: path.appending("items").appending(index).description)
      var builder = RecordBuilder(format: format.name, place: place)
      builder.add(name, .list("tags"), as: "vault")
      builder.take(item, at: place, by: ProtonRules.item)
      items.append(.record(try builder.record()))
    }
    return items
  }
}

private enum ProtonRules {
  static let item = TreeRules(
    leaves: [
      "itemId": .identifier, "shareId": .shown, "contentFormatVersion": .shown, "data.metadata.itemUuid": .shown,
      "data.metadata.name": .title, "data.metadata.note": .notes, "data.type": .type, "state": .itemState,
      "pinned": .flag("pinned"), "aliasEmail": .username, "createTime": .seconds("created"),
      "modifyTime": .seconds("modified"), "data.content.username": .username,
      "data.content.itemUsername": .username, "data.content.itemEmail": .field("email"),
      "data.content.email": .field("email"), "data.content.password": .password, "data.content.urls[]": .url,
      "data.content.totpUri": .totp, "data.content.cardholderName": .member("holder"),
      "data.content.number": .member("number"), "data.content.verificationNumber": .member("security_code"),
      "data.content.expirationDate": .expiry, "data.content.pin": .member("pin"),
      "data.content.cardType": .field("card type"), "data.content.publicKey": .member("public_key"),
      "data.content.privateKey": .member("private_key"), "data.content.ssid": .field("ssid"),
    ].merging(identity) { first, _ in first },
    subtrees: ["data.extraFields[]": field, "data.content.extraSections[].sectionFields[]": field])

  /// Details of an identity that are not secret. The others are sealed.
  private static let identity = Dictionary(
    uniqueKeysWithValues: [
      "fullName", "phoneNumber", "firstName", "middleName", "lastName", "organization", "streetAddress",
      "zipOrPostalCode", "city", "stateOrProvince", "countryOrRegion", "floor", "county", "website", "company",
      "jobTitle",
    ].map { ("data.content.\($0)", LeafRule.field($0)) })

  private static let field: TreeRules.Subtree = { builder, value, place in
    let name = value["fieldName"]?.string.flatMap { $0.isEmpty ? nil : $0 } ?? "field"
    let rule = value["type"]?.string == "totp" ? LeafRule.extraCode(name) : .secret(name)
    FieldReading(name: name, rule: rule, understood: ["fieldName", "type"])
      .take(value, at: place, into: &builder) { $0 == "data" || $0.hasPrefix("data.") }
  }
}

extension LeafRule {
  /// Stores the key of one-time codes. A second key keeps the name of its field.
  fileprivate static func extraCode(_ name: String) -> LeafRule {
    LeafRule { builder, text, place in builder.put(text, .member("totp"), from: place, as: name) }
  }

  fileprivate static let type = LeafRule { builder, text, place in
    // An alias has only an address, so the type is kept as a tag.
    if text == "alias" { builder.add("alias", .list("tags"), as: "type") }
    kind([
      "login": "login", "alias": "login", "note": "secure-note", "creditcard": "payment-card", "identity": "custom",
      "sshkey": "ssh-key", "wifi": "custom", "custom": "custom",
    ]).apply(&builder, text, place)
  }

  /// Reads the state of an item: 1 is active, 2 is in the trash.
  fileprivate static let itemState = LeafRule { builder, text, place in
    text == "1" ? builder.note(place, .mapped(to: "tags")) : builder.put("deleted", .list("tags"), from: place)
  }
}
