import Testing
import VaultAge
import VaultDocument
import VaultExchange
import VaultTestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A small good file of each format, every value of which holds ``Samples/marker``.
struct Sample {
  enum Form {
    /// Rows that stand for themselves.
    case table
    /// Text that is good as a whole or not at all.
    case document
    /// The same, in bytes that no encoding changes.
    case binary
  }

  let format: String
  let form: Form
  let bytes: [UInt8]
  var options = ImportOptions()

  /// Whether this machine has the library that the format is read with.
  fileprivate var isReadable: Bool {
    !format.hasSuffix("-yaml") || Need.yaml.isMet(forCases: 1, of: "samples of \(format)")
  }

  /// The importer's result for these bytes, or for others in their place.
  func imported(_ changed: [UInt8]? = nil) throws -> Imported {
    try Imported(ImportFormats.named(format), ImportSource(name: "", bytes: changed ?? bytes), options: options)
  }
}

enum Samples {
  /// A text that stands in every value of the samples and nowhere else.
  static let marker = "mArKeR"

  /// One for each format that this machine has the library for.
  static func readable() throws -> [Sample] { try all().filter(\.isReadable) }

  /// One for each format, but for those that are folders.
  static func all() throws -> [Sample] {
    try headers.map { Sample(format: $0.key, form: .table, bytes: table($0.value, $0.key)) }
      + [headless("dashlane-legacy-csv", 5), headless("keeper-csv", 9), enpass, lines("plain-jsonl"), dotenv]
      + rows.map { Sample(format: $0.key, form: .table, bytes: Array($0.value.joined().utf8)) }
      + documents.map { Sample(format: $0.key, form: .document, bytes: Array($0.value.utf8)) }
      + [try propertyList(), try onePUX(), try protected(), try database()]
      + archives() + sops() + PhoneCodes.all
  }

  private static let headers = [
    "1password-csv": "Title,Url,Username,Password,OTPAuth,Favorite,Archived,Tags,Notes",
    "1password-mac-csv": "title,type,username,password,url,notes,scope",
    "1password-windows-csv": "uuid,title,scope,autosubmit,password",
    "bitwarden-csv": "type,name,notes,fields,login_uri,login_username,login_password,login_totp",
    "buttercup-csv": "!type,!group_id,!group_name,title,username,password,url,id,notes",
    "chrome-csv": "name,url,username,password", "csv": "title,username,password,url,notes,other",
    "dashlane-csv": "username,username2,username3,title,password,note,url,category",
    "dashlane-id-csv": "type,number,name,issue_date,expiration_date,place_of_issue,state",
    "dashlane-note-csv": "title,note",
    "dashlane-payment-csv":
      "type,account_name,account_holder,cc_number,code,expiration_month,expiration_year,routing_number,account_number,"
      + "country,issuing_bank",
    "dashlane-person-csv": "type,first_name,last_name,item_name,phone_number,date_of_birth",
    "dashlane-wifi-csv": "ssid,passphrase,name", "dropbox-csv": "name,url,username,password,notes",
    "firefox-csv":
      "url,username,password,httpRealm,formActionOrigin,guid,timeCreated,timeLastUsed,timePasswordChanged",
    "keepass-csv": "Account,Login Name,Password,Web Site,Comments",
    "keepassxc-csv": "Group,Title,Username,Password,URL,Notes",
    "lastpass-csv": "url,username,password,extra,name,grouping,fav",
    "myki-csv": "nickname,url,username,password,additionalInfo,twofaSecret,status,tags",
    "myki-2fa-csv": "nickname,status,tags,authToken,additionalInfo", "myki-note-csv": "nickname,status,content",
    "nordpass-csv":
      "name,url,username,password,note,cardholdername,cardnumber,cvc,expirydate,zipcode,folder,full_name,phone_number,"
      + "email,address1,address2,city,country,state",
    "protonpass-csv": "type,name,url,username,password,note,totp,createTime,modifyTime",
    "roboform-csv": "Name,Url,Login,Pwd,Note,Folder", "safari-csv": "Title,URL,Username,Password",
    "safeincloud-csv": "Title,Login,Password,Notes",
    "strongbox-csv": "Title,Username,Email,Password,URL,OTPAuth,Notes",
    "zoho-csv": "Secret Name,Secret URL,Notes,Password",
    "zoho-password-csv": "Password Name,Password URL,Notes,Password",
  ]

  private static func cells(_ count: Int, row: Int) -> String {
    (0..<count).map { $0 % 2 == 0 ? "\(marker)\(row)x\($0)" : "\"\(marker), \(row)\ny\($0)\"" }.joined(separator: ",")
  }

  private static func table(_ header: String, _ format: String) -> [UInt8] {
    let count = header.split(separator: ",").count
    return Array(([header] + (1...3).map { cells(count, row: $0) }).map { $0 + "\n" }.joined().utf8)
  }

  private static func headless(_ format: String, _ count: Int) -> Sample {
    Sample(format: format, form: .table, bytes: Array((1...3).map { cells(count, row: $0) + "\n" }.joined().utf8))
  }

  private static let enpass = Sample(
    format: "enpass-csv", form: .table,
    bytes: Array(("Title,Field,Value,Note\n" + (1...3).map { cells(6, row: $0) + "\n" }.joined()).utf8))

  private static func lines(_ format: String) -> Sample {
    let rows = (1...3).map { #"{"title": "\#(marker)\#($0)", "password": "\#(marker)", "a": ["\#(marker)"]}"# + "\n" }
    return Sample(format: format, form: .table, bytes: Array(rows.joined().utf8))
  }

  /// One record of all lines, each of which stands for itself.
  private static let dotenv = Sample(
    format: "dotenv", form: .table, bytes: Array("A=\(marker)\nexport B='\(marker) 2'\nC=\"\(marker)\\n3\"\n".utf8))

  /// Three entries each, which stand for themselves.
  private static let rows: [String: [String]] = [
    "netrc": (1...3).map { "machine \(marker)\($0) login \(marker) password \(marker)\n" },
    "pgpass": (1...3).map { "\(marker)\($0):5432:\(marker):\(marker):\(marker)\n" },
    "git-credentials": (1...3).map { "https://\(marker):\(marker)@\(marker)\($0).example\n" },
    "aws-credentials": (1...3).map {
      "[\(marker)\($0)]\naws_access_key_id = \(marker)\naws_secret_access_key = \(marker)\n"
    },
    "npmrc": (1...3).map { "//\(marker)\($0).example/:_authToken=\(marker)\n" },
    "pypirc": (1...3).map { "[\(marker)\($0)]\nusername = \(marker)\npassword = \(marker)\n" },
    "otpauth": (1...3).map { "otpauth://totp/\(marker):\(marker)\($0)?secret=JBSWY3DPEHPK3PXP\n" },
    "pass": (1...3).map { #"{"path": "x/\#($0).gpg", "text": "bUFyS2VS"}"# + "\n" },
    "plain-yaml": (1...3).map { "- title: \(marker)\($0)\n  password: \(marker)\n" },
    "kubernetes-yaml": (1...3).map {
      "---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: \(marker)\($0)\nstringData:\n  a: \(marker)\n"
    },
  ]

  private static let documents = [
    "aegis":
      #"{"header": {}, "db": {"entries": [{"uuid": "\#(marker)", "issuer": "\#(marker)", "info": {"secret": "\#(marker)"}}]}}"#,
    "2fas": #"{"schemaVersion": 4, "services": [{"name": "\#(marker)", "secret": "\#(marker)"}]}"#,
    "andotp": #"[{"label": "\#(marker)", "secret": "\#(marker)", "digits": 6, "type": "TOTP"}]"#,
    "freeotp": #"{"tokenOrder": [], "tokens": [{"label": "\#(marker)", "secret": [1, -2], "type": "TOTP"}]}"#,
    "raivo": #"[{"account": "\#(marker)", "secret": "\#(marker)", "kind": "TOTP", "timer": "30"}]"#,
    "stratum": #"{"Authenticators": [{"Issuer": "\#(marker)", "Secret": "\#(marker)", "Type": 2}]}"#,
    "duo": #"[{"name": "\#(marker)", "otpGenerator": {"otpSecret": "\#(marker)"}}]"#,
    "proton-authenticator":
      #"{"entries": [{"id": "\#(marker)", "content": {"uri": "otpauth://totp/\#(marker)?secret=A"}}]}"#,
    "steam": #"{"accounts": {"x": {"account_name": "\#(marker)", "shared_secret": "AAAA"}}}"#,
    "keeper-json":
      #"{"shared_folders": [], "records": [{"title": "\#(marker)", "$type": "login", "password": "\#(marker)"}]}"#,
    "kubernetes-json":
      #"{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "\#(marker)"}, "data": {"a": "bUFyS2VS"}}"#,
    "hashicorp-kv": #"{"request_id": "", "lease_duration": 0, "data": {"a": "\#(marker)"}}"#,
    "aws-secrets-manager": #"{"ARN": "\#(marker)", "Name": "\#(marker)", "SecretString": "\#(marker)"}"#,
    "doppler": #"{"A": {"computed": "\#(marker)"}}"#,
    "infisical": #"[{"key": "A", "value": "\#(marker)", "secretPath": "/"}]"#,
    "bitwarden-json": """
    {"encrypted": false, "folders": [{"id": "f", "name": "\(marker)"}], "items": [{"id": "\(marker)", "type": 1,
     "folderId": "f", "name": "\(marker)", "notes": "\(marker)", "fields": [{"name": "n", "value": "\(marker)"}],
     "login": {"username": "\(marker)", "password": "\(marker)", "uris": [{"uri": "\(marker)"}]}}]}
    """,
    "enpass-json": """
    {"folders": [], "items": [{"uuid": "\(marker)", "title": "\(marker)", "category": "login", "note": "\(marker)",
     "template_type": "login.default", "fields": [{"label": "n", "type": "password", "value": "\(marker)"}]}]}
    """,
    "keepass-xml": """
    <?xml version="1.0" encoding="utf-8"?>
    <KeePassFile><Meta><Generator>\(marker)</Generator></Meta><Root><Group><UUID>AAAAAAAAAAAAAAAAAAAAAA==</UUID>
    <Name>\(marker)</Name><Entry><UUID>BAAAAAAAAAAAAAAAAAAAAA==</UUID>
    <String><Key>Title</Key><Value>\(marker)</Value></String>
    <String><Key>Password</Key><Value ProtectInMemory="True">\(marker)</Value></String></Entry></Group></Root></KeePassFile>
    """,
    "1password-cli": """
    [{"id": "\(marker)", "title": "\(marker)", "category": "LOGIN", "vault": {"id": "v", "name": "\(marker)"}, "fields": [
     {"id": "password", "type": "CONCEALED", "purpose": "PASSWORD", "label": "password", "value": "\(marker)"}]}]
    """,
    "plain-json": #"[{"title": "\#(marker)", "password": "\#(marker)", "more": {"deep": ["\#(marker)"]}}]"#,
    "protonpass-json": """
    {"version": "1", "encrypted": false, "vaults": {"v": {"name": "\(marker)", "items": [{"itemId": "\(marker)",
     "data": {"metadata": {"name": "\(marker)", "note": "\(marker)"}, "type": "login", "extraFields": [],
     "content": {"itemUsername": "\(marker)", "password": "\(marker)", "urls": ["\(marker)"]}}, "state": 1}]}}}
    """,
  ]

  private static func propertyList() throws -> Sample {
    let items = [["title": marker, "password": marker]]
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return Sample(format: "plist", form: .binary, bytes: [UInt8](try encoder.encode(items)))
  }

  private static func onePUX() throws -> Sample {
    let data = """
      {"accounts": [{"attrs": {"name": "\(marker)"}, "vaults": [{"attrs": {"name": "\(marker)"}, "items": [
       {"uuid": "\(marker)", "categoryUuid": "001", "overview": {"title": "\(marker)"}, "details": {"loginFields": [
        {"designation": "password", "value": "\(marker)", "fieldType": "P"}], "notesPlain": "\(marker)"}}]}]}]}
      """
    var writer = ZipWriter()
    writer.add("export.attributes", Array(#"{"version": 3}"#.utf8))
    writer.add("export.data", Array(data.utf8))
    return Sample(format: "1password-1pux", form: .binary, bytes: writer.finished())
  }

  private static func archives() -> [Sample] {
    var (bitwarden, dashlane) = (ZipWriter(), ZipWriter())
    bitwarden.add(
      "data.json",
      Array(#"{"encrypted": false, "folders": [], "items": [{"id": "i", "type": 1, "name": "\#(marker)"}]}"#.utf8))
    bitwarden.add("attachments/i/\(marker)", [1])
    dashlane.add("securenotes.csv", Array("title,note\n\(marker),\(marker)\n".utf8))
    return [
      Sample(format: "bitwarden-zip", form: .binary, bytes: bitwarden.finished()),
      Sample(format: "dashlane-zip", form: .binary, bytes: dashlane.finished()),
    ]
  }

  private static func database() throws -> Sample {
    Sample(
      format: "keepass-kdbx", form: .binary, bytes: try Base64.decode(KDBXTests.sample),
      options: KDBXTests.options("pw"))
  }

  private static func protected() throws -> Sample {
    Sample(
      format: "bitwarden-protected-json", form: .document, bytes: Array(BitwardenTests.pbkdf2Export.utf8),
      options: BitwardenTests.options("pw"))
  }

  private static func sops() throws -> [Sample] {
    let identity = try AgeIdentity.generate()
    let records = try ExportedRecord.list("login", #"[{"title":"t","password":"\#(marker)"}]"#)
    let exported = try Exported(.sops, records, recipients: [identity.recipient])
    var options = ImportOptions()
    options.identities = [identity]
    return ["sops-json", "sops-yaml"].map {
      Sample(format: $0, form: .document, bytes: exported.bytes, options: options)
    }
  }
}
