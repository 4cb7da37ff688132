internal import VaultDocument
public import VaultStorage

/// A text that must not occur anywhere: a test puts it into a sealed field, and searches for it afterwards.
///
/// The search covers the text itself, JSON escapes, percent-encoding, hex, and base64 at any offset. Compressed or
/// encrypted text is not found.
public struct Canary: Sendable, CustomStringConvertible {
  /// A form in which a text is readable.
  public struct Form: Hashable, Sendable, CustomStringConvertible {
    /// The name: `text`, `JSON`, `percent-encoded`, `hex`, `base64`.
    public let description: String

    /// The text itself.
    public static let text = Form(description: "text")
    /// With JSON escapes.
    public static let json = Form(description: "JSON")
    /// With `%` and two digits for some bytes.
    public static let percent = Form(description: "percent-encoded")
    /// Each byte as two digits, in either case.
    public static let hex = Form(description: "hex")
    /// In base64, of either alphabet.
    public static let base64 = Form(description: "base64")
  }

  /// A document that contains the text.
  public struct Sighting: Hashable, Sendable, CustomStringConvertible {
    /// The place of the document.
    public let place: StoreLocation
    /// The form; the first of several.
    public let form: Form

    public var description: String { "\(place.relativePath): \(form)" }
  }

  /// The text.
  public let text: String
  private let needles: [(form: Form, bytes: [UInt8])]

  /// Makes a canary.
  ///
  /// - Parameter text: at least 8 bytes, so that it does not occur by chance.
  public init(_ text: String) {
    precondition(text.utf8.count >= 8, "a canary has 8 bytes or more")
    self.text = text
    needles = Self.forms(of: text)
  }

  /// Makes a text that is in no other test.
  public static func random() -> Canary { Canary("canary-" + RecordID.random().text) }

  /// A fixed word, without the text.
  public var description: String { "Canary" }

  /// The form in which bytes contain the text; nil if they do not.
  public func form(in bytes: [UInt8]) -> Form? { needles.first { bytes.contains($0.bytes) }?.form }

  /// The documents of a store that contain the text; empty if all is well.
  ///
  /// - Throws: `StoreError` as `RecordStore.read`.
  public func sightings(in store: any RecordStore) throws(StoreError) -> [Sighting] {
    var sightings: [Sighting] = []
    for place in try store.places() {
      if let bytes = try store.read(place), let form = form(in: bytes) {
        sightings.append(Sighting(place: place, form: form))
      }
    }
    return sightings
  }

  private static func forms(of text: String) -> [(form: Form, bytes: [UInt8])] {
    let bytes = Array(text.utf8)
    let hex = Hex.encode(bytes)
    var forms = [
      (Form.text, bytes), (.percent, Array(PercentEncoding.encoded(text).utf8)), (.hex, Array(hex.utf8)),
      (.hex, Array(hex.uppercased().utf8)),
    ]
    // Every text can be written.
    if let json = try? JSONValue.string(text).compactBytes() {
      forms.append((.json, Array(json.dropFirst().dropLast())))
    }
    for offset in 0..<3 {
      let shifted = [UInt8](repeating: 0, count: offset) + bytes
      // Each character stands for 6 bits. Only characters whose bits all belong to the text count.
      let whole = (offset * 8 + 5) / 6..<shifted.count * 8 / 6
      for encoded in [Base64.encode(shifted), Base64.encodeURL(shifted)] {
        forms.append((.base64, Array(Array(encoded.utf8)[whole])))
      }
    }
    return forms
  }
}
