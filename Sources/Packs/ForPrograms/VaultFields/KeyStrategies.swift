#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import VaultDocument

extension JSONEncoder.KeyEncodingStrategy {
  /// Writes the names of a type's members in a style; names in dictionaries stay unchanged.
  public static func style(_ style: KeyStyle) -> JSONEncoder.KeyEncodingStrategy {
    .custom { path in styled(path, style) }
  }
}

extension JSONDecoder.KeyDecodingStrategy {
  /// Reads member names of any style as the names of a type, `.camel` for Swift's own.
  public static func style(_ style: KeyStyle) -> JSONDecoder.KeyDecodingStrategy {
    .custom { path in styled(path, style) }
  }
}

/// Uses only the last key: encoders do not give the keys before it reliably.
private func styled(_ path: [any CodingKey], _ style: KeyStyle) -> any CodingKey {
  guard let key = path.last else { preconditionFailure("a key strategy needs a key") }
  return key.intValue.map { AnyCodingKey($0) } ?? AnyCodingKey(style.name(for: key.stringValue))
}
