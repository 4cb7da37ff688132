package struct DirectoryEntry: Sendable {
  /// The name, with bytes that are not UTF-8 replaced.
  package var name: String
  /// Whether `name` is exactly the bytes on disk.
  package var isExact: Bool
  /// The kind of entry; nil if the file system does not tell.
  package var kind: FileStatus.Kind?

  package init(name: String, isExact: Bool, kind: FileStatus.Kind?) {
    self.name = name
    self.isExact = isExact
    self.kind = kind
  }
}

extension DirectoryEntry {
  package var isHidden: Bool { name.utf8.first == UInt8(ascii: ".") }

  /// The name without characters that could disturb a terminal.
  package var printableName: String {
    String(String.UnicodeScalarView(name.unicodeScalars.map { $0.isPrintable ? $0 : "?" }))
  }
}

extension Unicode.Scalar {
  fileprivate var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
    default: self != "\u{FFFD}"
    }
  }
}
