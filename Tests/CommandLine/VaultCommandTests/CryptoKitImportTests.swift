import Testing
import VaultTestSupport

@Suite("Files whose fields CryptoKit has sealed") struct CryptoKitImportTests {
  private static let box = "AAECAwQFBgcICQoLu2yBCuLy7TpESxBpQ/rhPdS5EO0iag=="
  private static let customers = """
    [{"name":"Ada","access_key":"\(box)","atm_code":null,"added_on":"2020-08-19T18:50:26Z"}]
    """

  @Test("vault import opens them with the key in a file, and seals them anew", arguments: ["", "\n"])
  func imported(_ end: String) throws {
    let workspace = try Workspace.withVault()
    FileTree.write(Array(Self.customers.utf8), to: workspace.path + "/old.json")
    FileTree.write(Array(("Sample AES key 1" + end).utf8), to: workspace.path + "/old.key")
    let run = workspace.open("import", "json", "old.json", "--kind", "customer", "--source-key-file", "old.key")
    #expect(run.code == 0, "\(run.errors)")
    #expect(workspace.open("get", "Ada", "access_key").output == "s3cret")
    #expect(workspace.open("verify").code == 0)
  }

  @Test("a key of another size, another key and a missing file are refused, with nothing stored")
  func refused() throws {
    let workspace = try Workspace.withVault()
    FileTree.write(Array(Self.customers.utf8), to: workspace.path + "/old.json")
    for (key, words) in [("short", "16, 24 or 32 bytes"), ("Sample AES key 2", "access_key")] {
      FileTree.write(Array(key.utf8), to: workspace.path + "/old.key")
      let run = workspace.open("import", "json", "old.json", "--kind", "customer", "--source-key-file", "old.key")
      #expect(run.status == .inputRefused, "\(run.errors)")
      #expect(run.errors.contains(words), "\(run.errors)")
      #expect(!run.errors.contains(Self.box))
    }
    let none = workspace.open("import", "json", "old.json", "--kind", "customer", "--source-key-file", "none")
    #expect(none.code != 0)
    #expect(workspace.open("list").output.isEmpty)
  }
}
