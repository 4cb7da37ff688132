import Testing
import VaultTestSupport

@Suite("The statements of a store in a database") struct StatementTests {
  /// Features that systems with PostgreSQL's protocol lack or implement differently, or that a pooler breaks.
  private static let refused = [
    "advisory", "LISTEN", "NOTIFY", "PREPARE ", "TEMP", "SERIAL", "SEQUENCE", "nextval", "WITH HOLD", "search_path",
    "jsonb", "CREATE FUNCTION", "CREATE TRIGGER", "plpgsql", "CREATE EXTENSION", "REFERENCES", "ICU",
  ]

  @Test("they ask for nothing that systems of the same protocol are known to lack")
  func subset() throws {
    let folder = OwnVectors.package + "/Sources/Packs/Postgres/VaultPostgresStore"
    let files = FileTree.files(below: folder).filter { $0.hasSuffix(".swift") }
    try #require(files.count > 10)
    var statementCount = 0
    for file in files {
      let text = String(decoding: try #require(FileTree.contents(of: folder + "/" + file)), as: UTF8.self)
      for line in text.split(separator: "\n") {
        let code = line.drop { $0 == " " }
        guard !code.hasPrefix("//") else { continue }
        if ["SELECT", "UPDATE", "INSERT", "DELETE", "COPY"].contains(where: code.contains) { statementCount += 1 }
        for word in Self.refused { #expect(!code.contains(word), "\(file): \(code)") }
        // A setting of the session would be another client's, behind a pooler.
        #expect(!code.contains("\"SET ") || code.contains("SET LOCAL") || code.contains("SET TRANSACTION"), "\(code)")
      }
    }
    #expect(statementCount > 20)
  }
}
