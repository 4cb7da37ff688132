import Testing
import VaultAge
import VaultCrypto
import VaultDocument
import VaultExchange
import VaultTestSupport

/// How a format holds texts, and the expected place of each.
struct ScalarRow: Sendable {
  /// A source that holds all texts of a list.
  let source: @Sendable ([String]) throws -> ImportSource
  let options: ImportOptions
  /// The place where the text of a number came out.
  let text: @Sendable (Imported, Int) throws -> String?

  /// A file that has a record for each text, at this path.
  static func each(
    _ path: String, _ options: ImportOptions = ImportOptions(), _ file: @escaping @Sendable ([String]) throws -> String
  ) -> ScalarRow {
    bytes(path, options) { Array(try file($0).utf8) }
  }

  static func bytes(
    _ path: String, _ options: ImportOptions = ImportOptions(), _ file: @escaping @Sendable ([String]) throws -> [UInt8]
  ) -> ScalarRow {
    ScalarRow(source: { ImportSource(name: "file", bytes: try file($0)) }, options: options) { imported, number in
      number < imported.records.count ? try imported.records[number].text(path) : nil
    }
  }

  /// A list of JSON objects.
  static func json(
    _ path: String, before: String = "[", behind: String = "]", _ entry: @escaping @Sendable (Int, String) -> String
  ) -> ScalarRow {
    each(path) { before + Scalars.list($0) { entry($0, Scalars.json($1)) } + behind }
  }

  /// A file of one record, whose values are called `n0`, `n1` and so on.
  static func one(_ options: ImportOptions = ImportOptions(), _ file: @escaping @Sendable ([String]) throws -> [UInt8])
    -> ScalarRow
  {
    ScalarRow(source: { ImportSource(name: "file", bytes: try file($0)) }, options: options) { imported, number in
      let record = try #require(imported.records.first)
      return try record.text("secrets.n\(number)")
    }
  }

  /// A table in which the text stands in one column, and other cells where they are needed.
  static func table(
    _ header: String, _ column: String, at path: String? = nil, others: [String: String] = [:],
    filling: String = "x", escape: String = "\"", hasHeader: Bool = true
  ) -> ScalarRow {
    each(path ?? column) { texts in
      let names = header.split(separator: ",").map(String.init)
      let rows = texts.enumerated().map { number, text in
        names.map { name in
          if name == column { return "\"\(text.replacing("\"", with: escape + "\""))\"" }
          return others[name] ?? filling + (filling.isEmpty ? "" : String(number))
        }.joined(separator: ",")
      }
      return ((hasHeader ? [header] : []) + rows).joined(separator: "\n") + "\n"
    }
  }
}

extension ScalarRow {
  /// A row for each format that can be imported.
  static func all() throws -> [String: ScalarRow] {
    var rows = tables.merging(documents) { first, _ in first }.merging(codes) { first, _ in first }
    rows.merge(lines) { first, _ in first }
    rows.merge(archives) { first, _ in first }
    rows.merge(try sealed()) { first, _ in first }
    return rows
  }

  /// Formats whose files only another program can seal: their content goes through the reader of another format.
  static let readAs = ["bitwarden-protected-json": "bitwarden-json"]

  private static let tables: [String: ScalarRow] = [
    "1password-csv": table(
      "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes", "Password", at: "password"),
    // A backslash before a quote is a quote there, and two are one backslash.
    "1password-mac-csv": escaped("title,type,username,password,url,notes,scope", "password"),
    "1password-windows-csv": table("uuid,title,scope,autosubmit,password", "password"),
    "bitwarden-csv": table(
      "type,name,notes,fields,login_uri,login_username,login_password,login_totp", "login_password", at: "password",
      others: ["type": "login", "fields": ""]),
    "buttercup-csv": table(
      "!type,!group_id,!group_name,title,username,password,url,id,notes", "password",
      others: ["!type": "entry"]),
    "chrome-csv": table("name,url,username,password", "password"),
    "csv": table("title,username,password", "password"),
    "dashlane-csv": table("username,username2,username3,title,password,note,url,category", "password"),
    "dashlane-id-csv": table(
      "type,number,name,issue_date,expiration_date,place_of_issue,state", "number",
      at: "secrets.number"),
    "dashlane-legacy-csv": table(
      "Title,URL,Login,Password,Note", "Password", at: "password", others: ["URL": ""],
      hasHeader: false),
    "dashlane-note-csv": table("title,note", "note", at: "text"),
    "dashlane-payment-csv": table(
      "type,account_name,account_holder,cc_number,code,expiration_month,expiration_year,routing_number,account_number,"
        + "country,issuing_bank", "account_number", at: "secrets.account_number", others: ["type": "bank"]),
    "dashlane-person-csv": table(
      "type,first_name,last_name,item_name,phone_number,date_of_birth", "date_of_birth",
      at: "secrets.date_of_birth"),
    "dashlane-wifi-csv": table("ssid,passphrase,name", "passphrase", at: "secrets.passphrase"),
    "dropbox-csv": table("name,url,username,password,notes", "password"),
    "enpass-csv": each("password") { texts in
      "Title,Field,Value\n" + texts.enumerated().map { "t\($0),Password,\(Scalars.cell($1))\n" }.joined()
    },
    "firefox-csv": table(
      "url,username,password,httpRealm,formActionOrigin,guid,timeCreated,timeLastUsed,timePasswordChanged", "password"
    ),
    "keepass-csv": escaped("Account,Login Name,Password,Web Site,Comments", "Password"),
    "keepassxc-csv": table("Group,Title,Username,Password,URL,Notes", "Password", at: "password"),
    "keeper-csv": table(
      "Folder,Title,Login,Password,Website,Notes,Shared", "Password", at: "password",
      hasHeader: false),
    "lastpass-csv": table("url,username,password,extra,name,grouping,fav", "password"),
    "myki-csv": table("nickname,url,username,password,additionalInfo,twofaSecret,status,tags", "password"),
    "myki-2fa-csv": table("nickname,status,tags,authToken,additionalInfo", "additionalInfo", at: "notes"),
    "myki-note-csv": table("nickname,status,content", "content", at: "text"),
    "nordpass-csv": table(
      "name,url,username,password,note,cardholdername,cardnumber,cvc,expirydate,zipcode,folder,full_name,phone_number,"
        + "email,address1,address2,city,country,state", "password", others: ["name": "x"], filling: ""),
    "protonpass-csv": table(
      "type,name,url,username,password,note,totp,createTime,modifyTime", "password",
      others: ["type": "login"]),
    "roboform-csv": table("Name,Url,Login,Pwd,Note,Folder", "Pwd", at: "password"),
    "safari-csv": table("Title,URL,Username,Password", "Password", at: "password"),
    "safeincloud-csv": table("Title,Login,Password,Notes", "Password", at: "password"),
    "strongbox-csv": table("Title,Username,Email,Password,URL,OTPAuth,Notes", "Password", at: "password"),
    "zoho-csv": table("Secret Name,Secret URL,Notes,Password", "Password", at: "password"),
    "zoho-password-csv": table("Password Name,Password URL,Notes,Password", "Password", at: "password"),
  ]

  private static func escaped(_ header: String, _ column: String) -> ScalarRow {
    let row = table(header, column, at: "password", escape: "\\")
    return ScalarRow(
      source: { try row.source($0.map { $0.replacing("\\", with: "\\\\") }) }, options: row.options, text: row.text)
  }

  private static let documents: [String: ScalarRow] = [
    "bitwarden-json": json("password", before: #"{"encrypted": false, "items": ["#, behind: "]}") {
      #"{"id": "i\#($0)", "type": 1, "name": "n", "login": {"password": \#($1)}}"#
    },
    "enpass-json": json("password", before: #"{"folders": [], "items": ["#, behind: "]}") {
      #"{"uuid": "i\#($0)", "title": "n", "category": "login", "template_type": "login.default", "fields": "#
        + #"[{"label": "Password", "type": "password", "value": \#($1)}]}"#
    },
    "keeper-json": json("password", before: #"{"shared_folders": [], "records": ["#, behind: "]}") {
      #"{"title": "n\#($0)", "$type": "login", "password": \#($1)}"#
    },
    "protonpass-json": json(
      "password", before: #"{"encrypted": false, "vaults": {"v": {"name": "v", "items": ["#,
      behind: "]}}}"
    ) {
      #"{"itemId": "i\#($0)", "data": {"metadata": {"name": "n"}, "type": "login", "extraFields": [], "content": "#
        + #"{"password": \#($1)}}, "state": 1}"#
    },
    "plain-json": json("password") { #"{"title": "n\#($0)", "password": \#($1)}"# },
    "plain-jsonl": each("password") { texts in
      texts.map { "{\"title\": \"n\", \"password\": \(Scalars.json($0))}\n" }.joined()
    },
    "plain-yaml": each("password") { texts in
      texts.map { "- title: n\n  password: \(Scalars.json($0))\n" }.joined()
    },
    "plist": each("password") { texts in
      let items = texts.map {
        "<dict><key>title</key><string>n</string><key>password</key><string>\(Scalars.xml($0))</string></dict>"
      }
      return "<plist version=\"1.0\"><array>\(items.joined())</array></plist>"
    },
    "keepass-xml": each("password") { texts in
      let entries = texts.enumerated().map { number, text in
        "<Entry><UUID>u\(number)</UUID><String><Key>Title</Key><Value>n</Value></String>"
          + "<String><Key>Password</Key><Value>\(Scalars.xml(text))</Value></String></Entry>"
      }
      return "<KeePassFile><Root><Group><UUID>g</UUID><Name>n</Name>\(entries.joined())</Group></Root></KeePassFile>"
    },
    "kubernetes-json": one { texts in
      let data = Scalars.list(texts) { "\"n\($0)\": \(Scalars.json(Base64.encode(Array($1.utf8))))" }
      return Array(#"{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {\#(data)}}"#.utf8)
    },
    "kubernetes-yaml": one { texts in
      let data = texts.enumerated().map { "  n\($0): \(Scalars.json($1))\n" }.joined()
      return Array("apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n\(data)".utf8)
    },
    "hashicorp-kv": one { texts in
      let data = Scalars.list(texts) { "\"n\($0)\": \(Scalars.json($1))" }
      return Array(#"{"request_id": "", "lease_duration": 0, "data": {\#(data)}}"#.utf8)
    },
    "aws-secrets-manager": one { texts in
      let data = Scalars.list(texts) { "\"n\($0)\": \(Scalars.json($1))" }
      return Array(#"{"ARN": "a", "Name": "n", "SecretString": \#(Scalars.json("{\(data)}"))}"#.utf8)
    },
    "1password-cli": json("password") {
      #"{"id": "i\#($0)", "title": "n", "category": "LOGIN", "vault": {"id": "v", "name": "v"}, "fields": "#
        + #"[{"id": "password", "type": "CONCEALED", "purpose": "PASSWORD", "label": "password", "value": \#($1)}]}"#
    },
    "doppler": one { texts in
      Array("{\(Scalars.list(texts) { "\"n\($0)\": {\"computed\": \(Scalars.json($1))}" })}".utf8)
    },
    "infisical": one { texts in
      Array(
        "[\(Scalars.list(texts) { #"{"key": "n\#($0)", "value": \#(Scalars.json($1)), "secretPath": "/"}"# })]".utf8)
    },
  ]

  private static let codes: [String: ScalarRow] = [
    "aegis": json("notes", before: #"{"header": {}, "db": {"entries": ["#, behind: "]}}") {
      #"{"uuid": "u\#($0)", "issuer": "i", "note": \#($1), "info": {"secret": "AAAA"}}"#
    },
    "2fas": json("title", before: #"{"schemaVersion": 4, "services": ["#, behind: "]}") {
      #"{"name": \#($1), "secret": "AAAA", "updatedAt": \#($0)}"#
    },
    "andotp": json("username") {
      #"{"label": \#($1), "secret": "AAAA", "digits": 6, "type": "TOTP", "used_frequency": \#($0)}"#
    },
    "authy": each("username") { texts in
      let tokens = Scalars.list(texts) { number, text in
        #"{"originalIssuer": "i", "name": \#(Scalars.json("i:" + text)), "decryptedSecret": "AAAA", "id": "\#(number)"}"#
      }
      return PhoneCodes.authy(Scalars.xml("[\(tokens)]"))
    },
    "duo": json("username") { #"{"name": \#($1), "otpGenerator": {"otpSecret": "AAAA"}, "accountType": "t\#($0)"}"# },
    "freeotp": json("username", before: #"{"tokenOrder": [], "tokens": ["#, behind: "]}") {
      #"{"label": \#($1), "issuerInt": "\#($0)", "secret": [1, -2], "type": "TOTP"}"#
    },
    "otpauth": each("title") { texts in
      texts.map { "otpauth://totp/x?secret=AAAA&issuer=\(Scalars.percent($0))\n" }.joined()
    },
    "proton-authenticator": json("notes", before: #"{"entries": ["#, behind: "]}") {
      #"{"id": "\#($0)", "content": {"uri": "otpauth://totp/x?secret=AAAA"}, "note": \#($1)}"#
    },
    "raivo": json("username") {
      #"{"account": \#($1), "secret": "AAAA", "kind": "TOTP", "timer": "30", "iconType": "\#($0)"}"#
    },
    "steam": json("username", before: #"{"accounts": {"#, behind: "}}") {
      #""a\#(100 + $0)": {"account_name": \#($1), "shared_secret": "AAAA"}"#
    },
    "stratum": json("username", before: #"{"Authenticators": ["#, behind: "]}") {
      #"{"Issuer": "i", "Username": \#($1), "Secret": "AAAA", "Type": 2, "Ranking": \#($0)}"#
    },
  ]

  private static let publicKey =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAUJYVSPtUIFrdftEVnc235IhLnksO5Uf4ICwFD7v2e+ "

  private static let lines: [String: ScalarRow] = [
    "netrc": each("password") { $0.map { "machine h login u password \(Scalars.word($0))\n" }.joined() },
    "pgpass": each("password") { texts in
      texts.map { "h:5432:d:u:\($0.replacing("\\", with: "\\\\").replacing(":", with: "\\:"))\n" }.joined()
    },
    "git-credentials": each("password") { $0.map { "https://u:\(Scalars.percent($0))@h.example\n" }.joined() },
    "aws-credentials": each("secret") { texts in
      texts.map { "[p]\naws_access_key_id = A\naws_secret_access_key = \($0)\n" }.joined()
    },
    "npmrc": each("secret") { texts in
      texts.enumerated().map { number, text in
        "//r\(number).example/:_authToken=\(Scalars.json(text.replacing("${", with: "\\${")))\n"
      }.joined()
    },
    "pypirc": each("password") { texts in
      texts.enumerated().map { "[p]\nusername = u\npassword \($0 % 2 == 0 ? ":" : "=") \($1)\n" }.joined()
    },
    "dotenv": one { texts in
      Array(texts.enumerated().map { "n\($0)='\($1.replacing("'", with: #"'\''"#))'\n" }.joined().utf8)
    },
    "pass": each("password") { texts in
      texts.enumerated().map { "{\"path\": \"e\($0).gpg\", \"text\": \"\(Base64.encode(Array($1.utf8)))\"}\n" }
        .joined()
    },
    "ssh-keys": ScalarRow(
      source: { texts in
        let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
        return ImportSource(
          name: ".ssh",
          files: texts.enumerated().flatMap { number, text in
            [("id_\(100 + number)", key), ("id_\(100 + number).pub", "\(publicKey)\(text)\n")].map { path, text in
              ImportFile(path: path) { () throws(ExchangeError) in Array(text.utf8) }
            }
          })
      }, options: ImportOptions()
    ) { imported, number in
      try imported.records[number].text("public_key").map { String($0.dropFirst(publicKey.count)) }
    },
  ]

  private static let archives: [String: ScalarRow] = [
    "1password-1pux": bytes("password") { texts in
      let items = Scalars.list(texts) { number, text in
        #"{"uuid": "u\#(number)", "categoryUuid": "001", "overview": {"title": "n"}, "details": {"loginFields": "#
          + #"[{"designation": "password", "value": \#(Scalars.json(text)), "fieldType": "P"}]}}"#
      }
      var writer = ZipWriter()
      writer.add("export.attributes", Array(#"{"version": 3}"#.utf8))
      let vault = #"{"attrs": {"name": "v"}, "items": [\#(items)]}"#
      writer.add("export.data", Array(#"{"accounts": [{"attrs": {"name": "a"}, "vaults": [\#(vault)]}]}"#.utf8))
      return writer.finished()
    },
    "bitwarden-zip": bytes("password") { texts in
      var writer = ZipWriter()
      let items = Scalars.list(texts) { number, text in
        #"{"id": "i\#(number)", "type": 1, "name": "n", "login": {"password": \#(Scalars.json(text))}}"#
      }
      writer.add("data.json", Array(#"{"encrypted": false, "folders": [], "items": [\#(items)]}"#.utf8))
      return writer.finished()
    },
    "dashlane-zip": bytes("text") { texts in
      var writer = ZipWriter()
      let rows = texts.map { "n,\(Scalars.cell($0))\n" }.joined()
      writer.add("securenotes.csv", Array("title,note\n\(rows)".utf8))
      return writer.finished()
    },
  ]

  /// Files that this program seals itself.
  private static func sealed() throws -> [String: ScalarRow] {
    let identity = try AgeIdentity.generate()
    var options = ImportOptions()
    options.identities = [identity]
    let logins = { @Sendable (texts: [String]) throws -> [ExportedRecord] in
      try ExportedRecord.list(
        "login", "[\(Scalars.list(texts) { #"{"title": "n\#($0)", "password": \#(Scalars.json($1))}"# })]")
    }
    let sops = bytes("password", options) { try Exported(.sops, logins($0), recipients: [identity.recipient]).bytes }
    return [
      "sops-json": sops, "sops-yaml": sops,
      "passage": ScalarRow(
        source: { texts in
          ImportSource(
            name: "store",
            files: try texts.enumerated().map { number, text in
              let bytes = Array(text.utf8)
              let file = try AgeFile.seal(RawSpan(_elements: bytes.span), to: [identity.recipient])
              return ImportFile(path: "e\(100 + number).age") { () throws(ExchangeError) in file }
            })
        }, options: options
      ) { try $0.records[$1].text("password") },
      "keepass-kdbx": bytes("password", KDBXTests.options("pw")) { texts in
        let passphrase = try SecretBytes(copying: RawSpan(_elements: Array("pw".utf8).span))
        return try Exported(.kdbx, logins(texts), passphrase: passphrase).bytes
      },
    ]
  }
}
