import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing
import RecordMacroPlugin

private let specs: [String: MacroSpec] = [
  "VaultRecord": MacroSpec(type: VaultRecordMacro.self, conformances: ["VaultRecord"]),
  "Title": MacroSpec(type: MarkMacro.self), "Nested": MacroSpec(type: MarkMacro.self),
  "Key": MacroSpec(type: MarkMacro.self),
]

/// Compares what a source becomes; `nil` where it is refused.
func expectExpansion(
  _ source: String, _ expanded: String, _ diagnostics: [DiagnosticSpec] = [],
  sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
  assertMacroExpansion(
    source, expandedSource: expanded, diagnostics: diagnostics, macroSpecs: specs, indentationWidth: .spaces(2),
    failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) })
}

@Suite("What @VaultRecord writes") struct ExpansionTests {
  private static let client = """
    @VaultRecord("client", keys: .snake)
    public struct Client {
      @Title var fullName: String
      var accessKey: EncryptedCodableString
      @Nested("address") var city: String?
      @Nested("address") @Key("zip-code") var zip: Optional<String>
      var tags: [String] = []
      var words: Int { tags.count }
      static let limit = 3
    }
    """
  private static let clientExpanded = """
    public struct Client {
      var fullName: String
      var accessKey: EncryptedCodableString
      var city: String?
      var zip: Optional<String>
      var tags: [String] = []
      var words: Int { tags.count }
      static let limit = 3
    }

    extension Client: VaultRecords.VaultRecord {
      public static var kindName: Swift.String {
        "client"
      }
      public static var titlePaths: [Swift.String] {
        ["full_name"]
      }

      public init(from decoder: any Swift.Decoder) throws {
        let record = try VaultDocument.SpelledMembers(decoder)
        self.fullName = try record.decode(String.self, forKey: "full_name")
        self.accessKey = try record.decode(EncryptedCodableString.self, forKey: "access_key")
        let object1 = try record.nestedIfPresent(forKey: "address")
        self.city = try object1?.decodeIfPresent(String.self, forKey: "city")
        self.zip = try object1?.decodeIfPresent(String.self, forKey: "zip-code")
        self.tags = try record.decodeIfPresent([String].self, forKey: "tags") ?? []
      }

      public func encode(to encoder: any Swift.Encoder) throws {
        var record = encoder.container(keyedBy: VaultDocument.AnyCodingKey.self)
        try record.encode(self.fullName, forKey: "full_name")
        try record.encode(self.accessKey, forKey: "access_key")
        if self.city != nil || self.zip != nil {
          var object1 = record.nestedContainer(keyedBy: VaultDocument.AnyCodingKey.self, forKey: "address")
          try object1.encodeIfPresent(self.city, forKey: "city")
          try object1.encodeIfPresent(self.zip, forKey: "zip-code")
        }
        try record.encode(self.tags, forKey: "tags")
      }
    }
    """

  @Test("keys, a title, nested objects, optionals and values of their own")
  func everything() { expectExpansion(Self.client, Self.clientExpanded) }

  @Test("an object with a required member is required, also one in another; observers leave a property stored")
  func requiredObjects() {
    expectExpansion(
      """
      @VaultRecord
      struct Server {
        @Nested("net", "main") let host: String
        @Nested("net") var note: String?
        var `default`: Bool { didSet {} }
      }
      """,
      """
      struct Server {
        let host: String
        var note: String?
        var `default`: Bool { didSet {} }
      }

      extension Server: VaultRecords.VaultRecord {
        init(from decoder: any Swift.Decoder) throws {
          let record = try VaultDocument.SpelledMembers(decoder)
          let object1 = try record.nested(forKey: "net")
          let object2 = try object1.nested(forKey: "main")
          self.host = try object2.decode(String.self, forKey: "host")
          self.note = try object1.decodeIfPresent(String.self, forKey: "note")
          self.`default` = try record.decode(Bool.self, forKey: "default")
        }

        func encode(to encoder: any Swift.Encoder) throws {
          var record = encoder.container(keyedBy: VaultDocument.AnyCodingKey.self)
          var object1 = record.nestedContainer(keyedBy: VaultDocument.AnyCodingKey.self, forKey: "net")
          var object2 = object1.nestedContainer(keyedBy: VaultDocument.AnyCodingKey.self, forKey: "main")
          try object2.encode(self.host, forKey: "host")
          try object1.encodeIfPresent(self.note, forKey: "note")
          try record.encode(self.`default`, forKey: "default")
        }
      }
      """)
  }
}
