internal import VaultDocument

/// The treatment of a leaf by an importer: the right side of the tables that describe formats.
///
/// Rules are never called for an empty leaf.
struct LeafRule: Sendable {
  /// Puts the text of a leaf into the record, and writes exactly one ledger line.
  let apply: @Sendable (_ builder: inout RecordBuilder, _ text: String, _ place: SourcePlace) -> Void

  init(_ apply: @escaping @Sendable (inout RecordBuilder, String, SourcePlace) -> Void) { self.apply = apply }

  /// Stores the text in a text member of the kind.
  static func member(_ name: String) -> LeafRule {
    LeafRule { builder, text, place in builder.put(text, .member(name), from: place) }
  }

  static let title = member("title")
  static let username = member("username")
  static let password = member("password")
  static let totp = member("totp")
  static let notes = member("notes")

  static let url = LeafRule { builder, text, place in builder.put(text, .list("urls"), from: place) }

  /// Stores the text readable, under `fields`.
  static func field(_ name: String) -> LeafRule {
    LeafRule { builder, text, place in builder.put(text, .field(name), from: place) }
  }

  /// Stores the text sealed, under `secrets`.
  static func secret(_ name: String) -> LeafRule {
    LeafRule { builder, text, place in builder.put(text, .secret(name), from: place) }
  }

  /// Stores the text sealed, under the name in the source: for all unknown values.
  static let secret = LeafRule { builder, text, place in
    builder.put(text, .secret(place.path.isEmpty ? "value" : place.path), from: place)
  }

  /// Stores the text readable, under the name in the source.
  static let field = LeafRule { builder, text, place in builder.put(text, .field(place.path), from: place) }

  /// Keeps the id that the tool gives the entry.
  static let identifier = LeafRule { builder, text, place in
    builder.toolID = text
    builder.note(place, .mapped(to: "external_id"))
  }

  /// Splits the text into several items of a list.
  static func list(_ name: String, separatedBy separator: String) -> LeafRule {
    LeafRule { builder, text, place in
      let items = text.parts(separatedBy: separator).map { String($0.trimmingSpaces) }.filter { !$0.isEmpty }
      guard items.count > 1 else {
        let item = items.first ?? text
        return builder.put(item, .list(name), from: place, converted: item != text && name != "tags")
      }
      for item in items { builder.add(item, .list(name), as: builder.ownName(.list(name), at: place)) }
      builder.note(place, name == "tags" ? .tagged : .mapped(to: name))
    }
  }

  /// Splits the text into addresses. A separator can also be part of an address, so only a text with a scheme begins a
  /// new address.
  static func urls(separatedBy separator: String) -> LeafRule {
    LeafRule { builder, text, place in
      var urls: [String] = []
      for part in text.parts(separatedBy: separator) {
        if urls.isEmpty || part.holds("://") {
          urls.append(String(part.trimmingSpaces))
        } else {
          urls[urls.count - 1] += separator + part
        }
      }
      guard urls.count > 1 else { return url.apply(&builder, text, place) }
      for url in urls { builder.add(url, .list("urls"), as: "url") }
      builder.note(place, .mapped(to: "urls"))
    }
  }

  /// Reads lines of `name: value`, each a secret. If a line does not have this form, the whole text is one secret.
  static let namedLines = LeafRule { builder, text, place in
    let pairs = text.lines.map { $0.pair(separatedBy: ":") }
    guard !pairs.contains(where: { $0 == nil }) else { return secret.apply(&builder, text, place) }
    for case let (name, value)? in pairs {
      builder.add(String(value.trimmingSpaces), .secret(String(name.trimmingSpaces)), as: place.path)
    }
    builder.note(place, .mapped(to: "secrets"))
  }

  /// Stores a member of a payment card. Only cards have it, so it decides the kind.
  static func card(_ name: String) -> LeafRule {
    LeafRule { builder, text, place in
      builder.kind = builder.kind ?? "payment-card"
      builder.put(text, .member(name), from: place)
    }
  }

  /// Stores the expiry month of a card, from any common form.
  static let expiry = LeafRule { builder, text, place in
    let normal = CardExpiry.normal(text)
    builder.put(normal ?? text, .member("expiry"), from: place, converted: normal != nil && normal != text)
  }

  /// Keeps a part of a value that is assembled at the end of the entry; `member` is the place of that value.
  static func part(_ name: String, of member: String) -> LeafRule {
    LeafRule { builder, text, place in
      builder.parts[name] = text
      builder.note(place, .mapped(to: member))
    }
  }

  static let tag = LeafRule { builder, text, place in builder.put(text, .list("tags"), from: place) }

  /// Adds a folder as a tag, with `/` between its levels.
  static func folder(separator: String = "/") -> LeafRule {
    LeafRule { builder, text, place in
      let levels = text.parts(separatedBy: separator).filter { !$0.isEmpty }
      builder.put(levels.joined(separator: "/"), .list("tags"), from: place)
    }
  }

  /// Adds a tag if the text means yes. Text that means neither yes nor no is kept.
  static func flag(_ tag: String) -> LeafRule {
    LeafRule { builder, text, place in
      switch text.lowercased() {
      case "1", "true", "yes": builder.put(tag, .list("tags"), from: place)
      case "0", "false", "no": builder.note(place, .mapped(to: "tags"))
      default: builder.put(text, .field(builder.ownName(.field(tag), at: place)), from: place)
      }
    }
  }

  /// Sets the kind that the word stands for. Other words become a field.
  static func kind(_ kinds: [String: String]) -> LeafRule {
    LeafRule { builder, text, place in
      guard let kind = kinds[text.lowercased()] else { return builder.put(text, .field("type"), from: place) }
      builder.kind = kind
      builder.note(place, .mapped(to: "kind"))
    }
  }

  /// Stores a time since 1970 as ISO 8601 under `fields`. Text that is not a number is kept unchanged.
  static func moment(_ name: String, millisecondsPerUnit unit: Int64) -> LeafRule {
    LeafRule { builder, text, place in
      guard let date = Timestamp(text, millisecondsPerUnit: unit) else {
        return builder.put(text, .field(name), from: place)
      }
      builder.put(date.text, .field(name), from: place, converted: true)
    }
  }

  static func seconds(_ name: String) -> LeafRule { moment(name, millisecondsPerUnit: 1000) }

  static func milliseconds(_ name: String) -> LeafRule { moment(name, millisecondsPerUnit: 1) }
}

extension Timestamp {
  fileprivate init?(_ digits: String, millisecondsPerUnit unit: Int64) {
    guard let count = Int64(digits) else { return nil }
    let (milliseconds, overflow) = count.multipliedReportingOverflow(by: unit)
    let rest = Int32(((milliseconds % 1000) + 1000) % 1000)
    let seconds = (milliseconds - Int64(rest)) / 1000
    guard !overflow, let date = try? Timestamp(secondsSinceEpoch: seconds, nanoseconds: rest * 1_000_000) else {
      return nil
    }
    self = date
  }
}
