internal import VaultDocument
public import VaultStorage

/// A text that must stand nowhere: what a test puts into a sealed field, and looks for afterwards.
///
/// It is looked for as it is, as JSON escapes it, percent-encoded, in hex, and in base64 whatever stands before it.
/// What is compressed or encrypted is not found, of course.
public struct Canary: Sendable, CustomStringConvertible {
  /// A form in which a text is still readable.
  public struct Form: Hashable, Sendable, CustomStringConvertible {
    /// Its name: `text`, `JSON`, `percent-encoded`, `hex`, `base64`.
    public let description: String

    /// As it is.
    public static let text = Form(description: "text")
    /// With the escapes of JSON.
    public static let json = Form(description: "JSON")
    /// With `%` and two digits for some of its bytes.
    public static let percent = Form(description: "percent-encoded")
    /// Each byte as two digits, small or capital.
    public static let hex = Form(description: "hex")
    /// In base64, of either alphabet.
    public static let base64 = Form(description: "base64")
  }

  /// A document that holds the text.
  public struct Sighting: Hashable, Sendable, CustomStringConvertible {
    /// Where.
    public let place: StoreLocation
    /// In which form; the first of several.
    public let form: Form

    public var description: String { "\(place.relativePath): \(form)" }
  }

  /// The text.
  public let text: String
  private let needles: [(form: Form, bytes: [UInt8])]

  /// - Parameter text: of 8 bytes or more, so that none is found by chance.
  public init(_ text: String) {
    precondition(text.utf8.count >= 8, "a canary has 8 bytes or more")
    self.text = text
    needles = Self.forms(of: text)
  }

  /// A text that is in no other test.
  public static func random() -> Canary { Canary("canary-" + RecordID.random().text) }

  /// Does not show the text.
  public var description: String { "Canary" }

  /// The form in which bytes hold the text; nil where they do not.
  public func form(in bytes: [UInt8]) -> Form? { needles.first { bytes.contains($0.bytes) }?.form }

  /// The documents of a store that hold the text; none, if all is well.
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
      // Each character stands for 6 bits: those count that belong to this text alone.
      let whole = (offset * 8 + 5) / 6..<shifted.count * 8 / 6
      for encoded in [Base64.encode(shifted), Base64.encodeURL(shifted)] {
        forms.append((.base64, Array(Array(encoded.utf8)[whole])))
      }
    }
    return forms
  }
}
