import Testing
import VaultCrypto
import VaultDocument
import VaultExchange
import VaultTestSupport

@Suite("Files of services, clusters and archives")
struct ServiceFormatTests {
  private func read(_ name: String, _ text: String) throws -> (format: String, imported: Imported) {
    let source = ImportSource(name: name, bytes: Array(text.utf8))
    let importer = try ImportFormats.detecting(source.sample())
    return (importer.format.name, try Imported(importer, source))
  }

  @Test(
    "Kubernetes: data loses its base64 in YAML and JSON, one, several or a list",
    .enabled(if: Need.yaml.isMet(forCases: 3, of: "Kubernetes")))
  func kubernetes() throws {
    let yaml = """
      apiVersion: v1
      kind: Secret
      metadata:
        name: shop
        namespace: prod
        labels: {app: web}
      type: Opaque
      data:
        PASSWORD: cMOkc3M=
        raw: AP8=
      stringData:
        plain: text
      ---
      apiVersion: v1
      kind: Secret
      metadata: {name: second}
      data: {a: Yg==}
      """
    let (format, imported) = try read("secrets.yaml", yaml)
    #expect(format == "kubernetes-yaml")
    #expect(imported.records.count == 2)
    let shop = try imported.first("shop")
    #expect(try shop.text("secrets.PASSWORD") == "päss")
    #expect(try shop.text("secrets.plain") == "text")
    #expect(try shop.text("secrets[\"raw (base64)\"]") == "AP8=")
    #expect(try shop.text("fields.namespace") == "prod")
    let json =
      #"{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"j"},"data":{"a":"Yg=="}}]}"#
    let list = try read("s.json", json)
    #expect(list.format == "kubernetes-json")
    #expect(try list.imported.first("j").text("secrets.a") == "b")
  }

  @Test("each service's JSON is told, and its values are secrets under their own names")
  func services() throws {
    let cases: [(String, String, String)] = [
      (
        "hashicorp-kv",
        #"{"request_id":"r","lease_id":"","lease_duration":0,"renewable":false,"data":{"data":{"pw":"x"},"metadata":{"created_time":"2020-01-02T03:04:05Z","version":3}}}"#,
        "secrets.pw"
      ),
      ("hashicorp-kv", #"{"request_id":"r","lease_duration":9,"data":{"pw":"x"}}"#, "secrets.pw"),
      (
        "aws-secrets-manager",
        #"{"ARN":"arn:1","Name":"db","VersionId":"v","SecretString":"{\"pw\":\"x\"}","VersionStages":["AWSCURRENT"]}"#,
        "secrets.pw"
      ),
      ("doppler", #"{"pw":{"computed":"x","computedVisibility":"masked","note":""}}"#, "secrets.pw"),
      ("infisical", #"[{"key":"pw","value":"x","workspace":"w","type":"shared","secretPath":"/"}]"#, "secrets.pw"),
    ]
    for (format, text, path) in cases {
      let (found, imported) = try read("s.json", text)
      #expect(found == format, "\(format)")
      #expect(imported.records.count == 1, "\(format)")
      #expect(try imported.records.first?.text(path) == "x", "\(format)")
      #expect(imported.totals.leaves == (try LeafCount.json(Array(text.utf8))), "\(format)")
      for record in imported.records { #expect(throws: Never.self) { try record.sealed() } }
    }
  }

  @Test("Keeper's JSON: folders, codes, cards and keys have their places")
  func keeper() throws {
    let text = #"""
      {"shared_folders": [{"path": "x"}], "records": [
       {"title": "A", "$type": "login", "login": "ann", "password": "p", "login_url": "https://a.example", "notes": "n",
        "folders": [{"folder": "Foo\\Bar"}], "custom_fields": {"$oneTimeCode::1": "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP",
        "$securityQuestion::1": {"question": "q", "answer": "a"}, "Own": "o"}},
       {"title": "C", "$type": "bankCard", "custom_fields": {"$paymentCard::1": {"cardNumber": "4111111111111111",
        "cardExpirationDate": "01/2030", "cardSecurityCode": "123"}, "$text:cardholderName:1": "Ann"}}]}
      """#
    let (format, imported) = try read("k.json", text)
    #expect(format == "keeper-json")
    #expect(imported.records.count == 2)
    let login = try imported.first("A")
    #expect(login.list("tags") == ["Foo/Bar"])
    #expect(try login.text("totp")?.hasPrefix("otpauth") == true)
    #expect(try login.text("secrets.Own") == "o")
    #expect(try login.text("secrets[\"securityQuestion answer\"]") == "a")
    let card = try imported.first("C")
    #expect(card.kind == "payment-card")
    #expect(try card.text("expiry") == "2030-01")
    #expect(try card.text("holder") == "Ann")
    #expect(imported.totals.leaves == (try LeafCount.json(Array(text.utf8))))
  }

  @Test("Bitwarden's zip: attachments are in their items; what `bw list items` prints is read as its export")
  func bitwarden() throws {
    let item = #"{"object":"item","id":"i1","type":1,"name":"A","reprompt":0,"login":{"password":"p"}}"#
    var writer = ZipWriter()
    writer.add("data.json", Array(#"{"encrypted":false,"folders":[],"items":[\#(item)]}"#.utf8))
    writer.add("attachments/i1/key.bin", [0, 1, 2])
    writer.add("attachments/other/x", [3])
    let source = ImportSource(name: "b.zip", bytes: writer.finished())
    let importer = try ImportFormats.detecting(source.sample())
    #expect(importer.format.name == "bitwarden-zip")
    let imported = try Imported(importer, source)
    #expect(try imported.first("A").text("secrets[\"attachment key.bin\"]") == "AAEC")
    #expect(imported.totals.refused == 1)
    let (format, list) = try read("l.json", "[\(item)]")
    #expect(format == "bitwarden-json")
    #expect(try list.first("A").text("password") == "p")
    #expect(list.totals.leaves == (try LeafCount.json(Array("[\(item)]".utf8))))
    #expect(list.totals.refused == 0)
  }

  @Test("Dashlane's zip: each table is read as the one that it is")
  func dashlane() throws {
    var writer = ZipWriter()
    writer.add(
      "credentials.csv",
      Array("username,username2,username3,title,password,note,url,category\nann,,,A,p,,https://a.example,\n".utf8))
    writer.add("securenotes.csv", Array("title,note\nN,text\n".utf8))
    let source = ImportSource(name: "d.zip", bytes: writer.finished())
    let importer = try ImportFormats.detecting(source.sample())
    #expect(importer.format.name == "dashlane-zip")
    let imported = try Imported(importer, source)
    #expect(imported.records.map(\.kind) == ["login", "secure-note"])
    #expect(imported.records.allSatisfy { $0.externalID?.hasPrefix("dashlane-zip:") == true })
  }

  @Test("any YAML is taken as JSON is", .enabled(if: Need.yaml.isMet(forCases: 1, of: "YAML")))
  func yaml() throws {
    let (format, imported) = try read("x.yml", "- title: a\n  password: p\n- title: b\n  deep: {x: 1}\n")
    #expect(format == "plain-yaml")
    #expect(try imported.first("a").text("password") == "p")
    #expect(try imported.first("b").text("secrets[\"deep.x\"]") == "1")
  }

  @Test("columns that are called otherwise go where their names say")
  func columns() throws {
    let text =
      "Entry Name,Login Username,Current Password,Two-Factor Secret,Hostname\nA,ann,p,JBSWY3DPEHPK3PXP,a.example\n"
    let record = try #require(try Imported("csv", text).records.first)
    #expect(try record.text("title") == "A")
    #expect(try record.text("username") == "ann")
    #expect(try record.text("password") == "p")
    #expect(try record.text("totp") == "JBSWY3DPEHPK3PXP")
    #expect(try record.text("fields.url") == "a.example")
    let card = try #require(
      try Imported("csv", "Label,Card Number,CVV,Name on Card\nB,4111111111111111,123,Ann\n").records.first)
    #expect(card.kind == "payment-card")
    #expect(try card.text("number") == "4111111111111111")
    #expect(try card.text("holder") == "Ann")
    let both = try #require(try Imported("csv", "title,label,password\nT,hidden,p\n").records.first)
    #expect(try both.text("title") == "T")
    #expect(try both.text("secrets.label") == "hidden")
  }

  @Test("variables for programs that are no shell: plain where it can be, quotes that they agree on where not")
  func dotenv() throws {
    let records = try ExportedRecord.list(
      "custom",
      #"[{"title": "S", "secrets": {"a": "plain-1", "b": "two words $x", "c": "it's\n\"q\" \\ ", "d": "", "e": "C:\\"}}]"#
    )
    let exported = try Exported(.dotenv, records)
    #expect(exported.text.contains("S_SECRETS_A=plain-1\n"))
    #expect(exported.text.contains("S_SECRETS_B='two words $x'\n"))
    #expect(exported.text.contains("S_SECRETS_E=C:\\\n"))
    #expect(exported.text.contains(#"S_SECRETS_C="it's\n\"q\" \\ ""#))
    #expect(exported.notes.isComplete)
    #expect(exported.notes.sentences.count == 1)
    let back = try #require(try exported.imported(as: "dotenv").records.first)
    #expect(try back.text("secrets.S_SECRETS_C") == "it's\n\"q\" \\ ")
    #expect(try back.text("secrets.S_SECRETS_B") == "two words $x")
  }

  @Test("Secrets of Kubernetes go out and come back", .enabled(if: Need.yaml.isMet(forCases: 1, of: "Kubernetes")))
  func kubernetesOut() throws {
    let records = try ExportedRecord.list(
      "custom",
      #"[{"title": "Shop DB", "secrets": {"PASSWORD": "pä'ss", "api key": "k"}}, {"title": "Shop DB", "secrets": {"x": "y"}}]"#
    )
    let exported = try Exported(.kubernetes, records)
    let sample = ImportSample(name: "", head: exported.bytes, isWhole: true)
    #expect(try ImportFormats.detecting(sample).format.name == "kubernetes-yaml")
    let back = try exported.imported(as: "kubernetes-yaml")
    #expect(back.records.map { $0.members["title"]?.string } == ["shop-db", "shop-db-2"])
    #expect(try back.records[0].text("secrets.PASSWORD") == "pä'ss")
    #expect(try back.records[0].text("secrets.api_key") == "k")
  }

  @Test("a file for ansible-vault has its form, and is another one each time")
  func ansible() throws {
    let records = try ExportedRecord.list("login", #"[{"title": "A", "password": "p"}]"#)
    let pass = Array("secret".utf8)
    let texts = try (0..<2).map { _ in
      try Exported(.ansibleVault, records, passphrase: SecretBytes(copying: RawSpan(_elements: pass.span))).text
    }
    #expect(texts[0] != texts[1])
    let lines = texts[0].split(separator: "\n")
    #expect(lines.first == "$ANSIBLE_VAULT;1.1;AES256")
    #expect(lines.dropFirst().allSatisfy { $0.utf8.count <= 80 })
    #expect(throws: ExportError.self) { _ = try Exported(.ansibleVault, records) }
  }

  @Test(
    "what the readers of each export evaluate stands in the document as in the code", arguments: ExportFormat.allCases)
  func evaluation(_ format: ExportFormat) {
    let document = String(decoding: FileTree.contents(of: OwnVectors.package + "/docs/formats.md") ?? [], as: UTF8.self)
    let (evaluated, export) = format.evaluation
    #expect(document.contains("| `\(format.rawValue)` | \(evaluated) | \(export) |"))
  }

  @Test("a variable of ansible-vault is no template, and no setting of Ansible")
  func ansibleVariables() throws {
    let records = try ExportedRecord.list(
      "login",
      #"[{"title": "Ansible SSH", "password": "{{ 1 }}"}, {"title": "B", "notes": "a\n{% raw", "tags": ["{#x#}", "0042", "NULL", "yes"]}]"#
    )
    let pass = Array("secret".utf8)
    let sealed = try Exported(.ansibleVault, records, passphrase: SecretBytes(copying: RawSpan(_elements: pass.span)))
    let lines = try Self.opened(sealed.text, pass).split(separator: "\n").dropFirst().filter { $0.first == "\"" }
    #expect(lines.count == 8)
    #expect(lines.count { $0.contains(": !unsafe \"") } == 5)
    // With the tag Ansible would take these for a number, nothing, and a truth value.
    for text in ["0042", "NULL", "yes"] { #expect(lines.contains { $0.hasSuffix(": \"\(text)\"") }) }
    #expect(lines.contains { $0.hasPrefix("\"vault_ansible_ssh_password\"") })
    #expect(!lines.contains { $0.hasPrefix("\"ansible_") })
  }

  @Test(
    "a text with Ansible's tag is read as it is, and other tags are refused",
    .enabled(if: Need.yaml.isMet(forCases: 1, of: "tags")))
  func ansibleTags() throws {
    let (format, imported) = try read("a.yml", "- title: A\n  password: !unsafe \"x{{ 1 }}\"\n")
    #expect(format == "plain-yaml")
    #expect(try imported.records[0].text("password") == "x{{ 1 }}")
    #expect(throws: ExchangeError.self) { try read("a.yml", "- title: A\n  password: !vault |\n    $ANSIBLE\n") }
  }

  private static func opened(_ text: String, _ passphrase: [UInt8]) throws -> String {
    let body = try Hex.decode(text.split(separator: "\n").dropFirst().joined())
    let parts = try String(decoding: body, as: UTF8.self).split(separator: "\n").map { try Hex.decode(String($0)) }
    // Bound to names of their own: a span must not outlive its array.
    let (salt, sealed) = (parts[0], parts[2])
    let keys = try PBKDF2.derive(
      .sha256, passphrase: RawSpan(_elements: passphrase.span), salt: RawSpan(_elements: salt.span), iterations: 10_000,
      byteCount: 80
    ).withBytes { bytes in (0..<bytes.byteCount).map { unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self) } }
    let (key, nonce) = (Array(keys[..<32]), Array(keys[64...]))
    let cipher = try StreamCipher(
      .aes256Counter, key: RawSpan(_elements: key.span), nonce: RawSpan(_elements: nonce.span))
    return String(decoding: try cipher.process(RawSpan(_elements: sealed.span)), as: UTF8.self)
  }
}
