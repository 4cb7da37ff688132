import Testing
import VaultDocument

@Suite("Styles of member names")
struct KeyStyleTests {
  @Test(
    "read one another",
    arguments: [
      ("home_phone", "homePhone", "home-phone"), ("name", "name", "name"), ("_private_id", "_privateId", "_private-id"),
      ("trailing_name_", "trailingName_", "trailing-name_"), ("my_url_property", "myUrlProperty", "my-url-property"),
      ("v2_key", "v2Key", "v2-key"), ("Meta Data", "Meta Data", "Meta Data"), ("1. open", "1. open", "1. open"),
      ("straße_a", "straße_a", "straße_a"), ("", "", ""), ("__", "__", "__"),
    ])
  func styles(names: (snake: String, camel: String, kebab: String)) {
    for name in [names.snake, names.camel, names.kebab] {
      #expect(KeyStyle.snake.name(for: name) == names.snake)
      #expect(KeyStyle.camel.name(for: name) == names.camel)
      #expect(KeyStyle.kebab.name(for: name) == names.kebab)
    }
  }

  @Test(
    "take a run of capitals as one word, and a separator before a digit away",
    arguments: [("imageURL", "image_url"), ("URLSession", "url_session"), ("notAVault", "not_a_vault")])
  func capitals(name: String, snake: String) { #expect(KeyStyle.snake.name(for: name) == snake) }

  @Test("change every name of a tree, also in arrays, and no value")
  func tree() throws {
    let tree = try JSONParser.parse(Array(#"{"a_b":[{"c_d":"e_f"}],"g":1}"#.utf8))
    let camel = try JSONParser.parse(Array(#"{"aB":[{"cD":"e_f"}],"g":1}"#.utf8))
    #expect(try tree.names(in: .camel) == camel)
    #expect(try camel.names(in: .snake) == tree)
  }

  @Test("are refused where two names of one object become the same")
  func collision() throws {
    let tree = try JSONParser.parse(Array(#"{"x":[{"a_b":1,"aB":2}]}"#.utf8))
    do throws(DocumentError) {
      _ = try tree.names(in: .kebab)
      Issue.record("two names became one")
    } catch {
      #expect(error.code == .duplicateMember)
      #expect(error.path == "x[0]")
    }
  }
}
