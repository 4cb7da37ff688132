internal import VaultDocument

extension TreeImporter {
  /// Keeper's own JSON, which has the record types that its table lacks.
  static let keeper = TreeImporter(
    format: ImportFormat(
      "keeper-json", title: "Keeper, JSON", versions: "16 and 17",
      keeps: "records with all fields, folders as tags, cards and keys by their kinds; shared folders are refused"),
    detected: { sample in
      let outline = sample.outline
      return outline.has("records[].$type") || outline.has("records[].login_url")
        || outline.has("shared_folders", "records")
    },
    list: ["records"],
    rules: TreeRules(
      leaves: [
        "uid": .identifier, "title": .title, "login": .username, "password": .password, "login_url": .url,
        "notes": .notes, "last_modified": .seconds("modified"), "schema[]": .shown, "schema": .shown,
        "folders[].folder": .folder(separator: "\\"), "folders[].shared_folder": .folder(separator: "\\"),
        "folders[].can_edit": .shown, "folders[].can_share": .shown,
        "$type": .kind([
          "login": "login", "bankcard": "payment-card", "encryptednotes": "secure-note", "sshkeys": "ssh-key",
        ]),
      ],
      subtrees: ["custom_fields": keeperFields, "references": TreeRules.hidden]))

  /// Reads fields named `$TYPE:LABEL:NUMBER` or by a label alone. The value of some fields is an object.
  private static let keeperFields: TreeRules.Subtree = { builder, value, place in
    for (path, leaf) in value.leafPaths(at: .root) {
      guard case .member(let key)? = path.components.first else {
        builder.take(leaf.leafText, from: place.below(path), by: .secret(path.name))
        continue
      }
      let parts = key.begins(with: "$") ? key.dropFirst().parts(separatedBy: ":").map(String.init) : ["", key]
      let label = parts.count > 1 && !parts[1].isEmpty ? parts[1] : parts[0]
      let below = path.components.dropFirst()
      let name = below.isEmpty ? label : "\(label) \(MemberPath(Array(below)))"
      builder.take(leaf.leafText, from: place.below(path), by: keeperRule(parts[0], path) ?? .secret(name))
    }
  }

  private static func keeperRule(_ type: String, _ path: MemberPath) -> LeafRule? {
    let last: String = if case .member(let name)? = path.components.last { name } else { "" }
    switch (type, last) {
    case ("oneTimeCode", _): return .totp
    case ("paymentCard", "cardNumber"): return .card("number")
    case ("paymentCard", "cardSecurityCode"): return .card("security_code")
    case ("paymentCard", "cardExpirationDate"): return .expiry
    case ("keyPair", "privateKey"): return .member("private_key")
    case ("keyPair", "publicKey"): return .member("public_key")
    case ("url", _): return .url
    default: return path.description.contains("cardholderName") ? .member("holder") : nil
    }
  }
}
