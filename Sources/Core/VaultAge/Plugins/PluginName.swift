/// The name of an age plugin, a part of the name of its program `age-plugin-NAME`.
///
/// Source: c2sp.org/age-plugin, "Conventions used in this document".
enum PluginName {
  /// The name in a range of Bech32 text, in lower case.
  static func read(_ text: RawSpan, _ range: Range<Int>) throws(Bech32.Fault) -> String {
    let name = range.map { Bech32.lowercased(text[octet: $0]) }
    guard !name.isEmpty, name.allSatisfy(isAllowed) else {
      throw Bech32.Fault(reason: "the name of the plugin may have only letters, digits and + - . _")
    }
    return String(decoding: name, as: UTF8.self)
  }

  private static func isAllowed(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
    default: false
    }
  }
}
