internal import VaultDocument
internal import VaultRecords

extension ImportFormats {
  /// Services and clusters that provide secrets to programs.
  static let services: [any Importer] = [
    TreeImporter.kubernetesJSON, TreeImporter.kubernetesYAML, TreeImporter.hashiCorp, TreeImporter.awsSecrets,
    TreeImporter.doppler, TreeImporter.infisical,
  ]
}

extension TreeImporter {
  // MARK: Kubernetes

  static let kubernetesJSON = TreeImporter(
    format: kubernetes("kubernetes-json", "JSON"),
    detected: { sample in
      let outline = sample.outline
      let hasSecret = !sample.head.ranges(of: Array("\"Secret\"".utf8)).isEmpty
      return hasSecret && !isSealedBySOPS(sample)
        && (outline.has("kind", "apiVersion") || outline.has("items[].kind", "items[].apiVersion"))
    },
    list: ["items"], kind: "custom", rules: manifest, opened: manifests)

  static let kubernetesYAML = TreeImporter(
    format: kubernetes("kubernetes-yaml", "YAML"),
    detected: { sample in
      guard !sample.outline.isJSON, sample.paths.isEmpty, !isSealedBySOPS(sample) else { return false }
      // Names and words may be in quotes.
      let text = String(decoding: sample.head.filter { $0 != 0x22 && $0 != 0x27 }, as: UTF8.self)
      let lines = Set(text.lines.map { $0.trimmingSpaces })
      return lines.contains("kind: Secret") && lines.contains { $0.begins(with: "apiVersion:") }
    },
    list: ["items"], kind: "custom", rules: manifest,
    parsed: { source, options throws(ExchangeError) in
      .array(try YAMLReader.nodes(of: try JSONReading.text(of: source, options: options)).map(\.value))
    }, opened: manifests)

  /// Whether the manifest is sealed with sops, as is common in git. The importer of sops opens it.
  private static func isSealedBySOPS(_ sample: ImportSample) -> Bool {
    !sample.head.ranges(of: Array("ENC[AES256_GCM,data:".utf8)).isEmpty
  }

  private static func kubernetes(_ name: String, _ form: String) -> ImportFormat {
    ImportFormat(
      name, title: "Kubernetes Secrets, \(form)", versions: "v1, one, several documents, or a list",
      keeps: "each Secret as a custom record: `data` without its base64, `stringData`, name, namespace and labels; "
        + "other objects are refused", idPrefix: "kubernetes")
  }

  /// Moves one or more manifests, or a list of them, under `items`.
  @Sendable private static func manifests(
    _ document: JSONValue, _: ImportOptions
  ) throws(ExchangeError) -> JSONValue {
    let all = (document.array ?? [document]).flatMap { $0["items"]?.array ?? [$0] }.filter { !$0.isNull }
    guard all.contains(where: { $0["kind"]?.string == "Secret" }) else {
      throw ExchangeError(.malformed, "has no Secret")
    }
    return .members(["items": all])
  }

  private static let manifest = TreeRules(
    leaves: [
      "apiVersion": .known(as: "kind"), "kind": .known(as: "kind"), "metadata.name": .title,
      "metadata.namespace": .field("namespace"), "metadata.uid": .identifier, "type": .field("type"),
      "metadata.creationTimestamp": .unlessNull(.field("created")), "metadata.resourceVersion": .shown,
      "metadata.generation": .shown,
      "metadata.selfLink": .shown, "immutable": .field("immutable"),
    ],
    subtrees: [
      "data": decoded, "stringData": TreeRules.secrets, "metadata.labels": labels,
      "metadata.managedFields": TreeRules.hidden, "metadata.ownerReferences": TreeRules.hidden,
    ])

  /// Takes values in base64. Bytes that are not text stay in base64.
  private static let decoded: TreeRules.Subtree = { builder, value, place in
    for (path, leaf) in value.leafPaths(at: .root) {
      let text = leaf.leafText
      let plain = (try? Base64.decode(text.filter { !$0.isWhitespace })).flatMap { bytes in
        bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
      }
      if let plain, plain.isEmpty || text.isEmpty {
        builder.note(place.below(path), .empty)
      } else {
        let name = plain == nil ? "\(path.name) (base64)" : path.name
        builder.put(plain ?? text, .secret(name), from: place.below(path), converted: plain != nil)
      }
    }
  }

  private static let labels: TreeRules.Subtree = { builder, value, place in
    for (path, leaf) in value.leafPaths(at: .root) {
      builder.take(leaf.leafText, from: place.below(path), by: .field("label \(path.name)"))
    }
  }

  // MARK: HashiCorp

  static let hashiCorp = TreeImporter(
    format: ImportFormat(
      "hashicorp-kv", title: "HashiCorp Vault and OpenBao, KV", versions: "1 and 2, what `kv get -format=json` prints",
      keeps: "all values as secrets of one record, custom metadata as fields; a version that was deleted is refused"),
    detected: { $0.outline.has("data", "lease_duration", "request_id") }, isOneEntry: true, kind: "custom",
    rules: TreeRules(
      leaves: Dictionary(
        uniqueKeysWithValues: [
          "request_id", "lease_id", "lease_duration", "renewable", "wrap_info", "warnings", "warnings[]", "auth",
          "mount_type",
        ].map { ($0, LeafRule.known(as: ".")) }),
      subtrees: ["data": keyValues]),
    refusal: { document in
      guard let data = document["data"], isSecondVersion(data), data["data"]?.isNull ?? true else { return nil }
      return "the version was deleted: the file has no values"
    })

  /// Whether this is version 2, which has the values one level deeper, beside their metadata.
  private static func isSecondVersion(_ data: JSONValue) -> Bool {
    guard let metadata = data["metadata"], metadata.object != nil else { return false }
    return metadata["version"] != nil && metadata["created_time"] != nil
      && (data["data"].map { $0.isNull || $0.object != nil } ?? true)
  }

  private static let keyValues: TreeRules.Subtree = { builder, value, place in
    guard isSecondVersion(value), let data = value["data"], let metadata = value["metadata"] else {
      return TreeRules.secrets(&builder, value, place)
    }
    TreeRules.secrets(&builder, data, place.below("data"))
    for (path, leaf) in metadata.leafPaths(at: .root) {
      builder.take(leaf.leafText, from: place.below("metadata").below(path), by: rule(ofMetadata: path))
    }
    for (name, other) in value.object ?? JSONObject() where name != "data" && name != "metadata" {
      for (path, leaf) in other.leafPaths(at: .root.appending(name)) {
        builder.take(leaf.leafText, from: place.below(path), by: .secret(path.description))
      }
    }
  }

  /// Metadata that users write is kept as a readable value. The rest describes the version.
  private static func rule(ofMetadata path: MemberPath) -> LeafRule {
    if path.name == "created_time" { return .field("modified") }
    guard path.components.first == .member("custom_metadata"), path.components.count > 1 else { return .known(as: ".") }
    let name = MemberPath(Array(path.components.dropFirst())).name
    return SecretName.isSecret(name) ? .secret(name) : .field(name)
  }

  // MARK: AWS

  static let awsSecrets = TreeImporter(
    format: ImportFormat(
      "aws-secrets-manager", title: "AWS Secrets Manager", versions: "get-secret-value, batch-get-secret-value",
      keeps: "each secret as a custom record, the values of JSON one by one; versions are left out"),
    detected: { sample in
      let outline = sample.outline
      return ["", "SecretValues[]."].contains { begin in
        outline.has("\(begin)ARN", "\(begin)Name")
          && (outline.has("\(begin)SecretString") || outline.has("\(begin)SecretBinary"))
      }
    },
    list: ["SecretValues"], kind: "custom",
    rules: TreeRules(
      leaves: [
        "ARN": .identifier, "Name": .title, "SecretString": .secretText, "SecretBinary": .secret("binary (base64)"),
        "CreatedDate": .field("created"), "VersionId": .shown, "VersionStages[]": .shown,
      ]),
    opened: { document, _ in
      document["SecretValues"] == nil ? .members(["SecretValues": [document]]) : document
    })

  // MARK: Doppler and Infisical

  static let doppler = TreeImporter(
    format: ImportFormat(
      "doppler", title: "Doppler, JSON", versions: "`doppler secrets --json`",
      keeps: "each value as a secret of one record, notes, and the text with references if it differs"),
    detected: { sample in
      let names = sample.outline.paths.compactMap { path in
        path.hasSuffix(".computed") ? String(path.dropLast(".computed".utf8.count)) : nil
      }
      return !names.isEmpty && names.allSatisfy { !$0.contains(".") && !$0.hasPrefix("[") }
    },
    isOneEntry: true, kind: "custom",
    rules: TreeRules(leaves: [:], subtrees: ["": dopplerValues]))

  private static let dopplerValues: TreeRules.Subtree = { builder, value, place in
    for (path, leaf) in value.leafPaths(at: .root) {
      let place = place.below(path)
      guard path.components.count == 2, case .member(let name) = path.components[0],
        case .member(let part) = path.components[1]
      else {
        builder.take(leaf.leafText, from: place, by: .secret(path.name))
        continue
      }
      let computed = value[name]?["computed"]?.string
      switch part {
      case "computed": builder.take(leaf.leafText, from: place, by: .secret(name))
      case "raw" where leaf.string == computed: builder.take(leaf.leafText, from: place, by: .known(as: "secrets"))
      case "computedVisibility", "rawVisibility", "computedValueType", "rawValueType":
        builder.take(leaf.leafText, from: place, by: .shown)
      default: builder.take(leaf.leafText, from: place, by: .secret("\(name) \(part)"))
      }
    }
  }

  static let infisical = TreeImporter(
    format: ImportFormat(
      "infisical", title: "Infisical, JSON", versions: "`infisical export --format=json`",
      keeps: "each value as a secret of one record, comments; ids are left out, tags refused"),
    detected: { sample in
      let outline = sample.outline
      return outline.has("[].key", "[].value")
        && ["[].workspace", "[].secretPath", "[]._id", "[].workspaceId"].contains { outline.has($0) }
    },
    isOneEntry: true, kind: "custom",
    rules: TreeRules(leaves: [:], subtrees: ["[]": infisicalValue]))

  private static let infisicalValue: TreeRules.Subtree = { builder, value, place in
    let name = value["key"]?.string ?? ""
    for (path, leaf) in value.leafPaths(at: .root) {
      let rule: LeafRule =
        switch path.description {
        case "key": .known(as: "secrets")
        case "value": .secret(name.isEmpty ? "value" : name)
        case "comment": .secret("\(name) comment")
        case _ where path.components.first == .member("tags"): .refused("tags of single values are not imported")
        default: .shown
        }
      builder.take(leaf.leafText, from: place.below(path), by: rule)
    }
  }
}

extension LeafRule {
  /// Ignores null, which kubectl writes for values that the cluster has not set.
  fileprivate static func unlessNull(_ rule: LeafRule) -> LeafRule {
    LeafRule { builder, text, place in
      text == "null" ? builder.note(place, .empty) : rule.apply(&builder, text, place)
    }
  }

  /// Takes JSON of names and values, or one value.
  fileprivate static let secretText = LeafRule { builder, text, place in
    guard let object = try? JSONReading.value(of: Array(text.utf8)), object.object?.isEmpty == false,
      object.leafCount(limit: ValueLimit.count) <= ValueLimit.count, text.utf8.count <= ValueLimit.byteCount
    else { return secret("value").apply(&builder, text, place) }
    for (path, leaf) in object.leafPaths(at: .root) {
      builder.add(leaf.leafText, .secret(path.name), as: path.name)
    }
    builder.note(place, .mapped(to: "secrets"))
  }
}
