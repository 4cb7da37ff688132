/// Small files of formats that name a program, a service or an app for one-time codes.
enum ImportTexts {
  static let files: [(String, String)] = [
    (
      "otpauth",
      "otpauth://totp/A:ann?secret=JBSWY3DPEHPK3PXP&issuer=A\notpauth-migration://offline?data=CiEKCkhlbGxvId6tvu8SBGFubmEaBUEgQiBDIAEoATACEAEYASAA\n"
    ),
    (
      "aegis",
      #"{"version":1,"header":{"slots":null,"params":null},"db":{"version":2,"entries":[{"type":"totp","uuid":"u","name":"ann","issuer":"A","info":{"secret":"JBSWY3DPEHPK3PXP","algo":"SHA1","digits":6,"period":30}}]}}"#
    ),
    (
      "2fas",
      #"{"services":[{"name":"A","secret":"JBSWY3DPEHPK3PXP","otp":{"account":"ann","digits":6,"period":30,"algorithm":"SHA1","tokenType":"TOTP"}}],"groups":[],"schemaVersion":3}"#
    ),
    (
      "andotp",
      #"[{"secret":"JBSWY3DPEHPK3PXP","issuer":"A","label":"ann","digits":6,"type":"TOTP","algorithm":"SHA1","thumbnail":"Default","last_used":0,"used_frequency":0,"period":30,"tags":[]}]"#
    ),
    (
      "freeotp",
      #"<map><string name="a">{&quot;algo&quot;:&quot;SHA1&quot;,&quot;digits&quot;:6,&quot;issuerExt&quot;:&quot;A&quot;,&quot;label&quot;:&quot;ann&quot;,&quot;secret&quot;:[72,-34],&quot;type&quot;:&quot;TOTP&quot;}</string></map>"#
    ),
    (
      "authy",
      #"<map><string name="com.authy.storage.tokens.authenticator.key">[{&quot;decryptedSecret&quot;:&quot;JBSWY3DPEHPK3PXP&quot;,&quot;digits&quot;:7,&quot;id&quot;:&quot;1&quot;,&quot;name&quot;:&quot;A: ann&quot;,&quot;originalName&quot;:&quot;A:ann&quot;}]</string></map>"#
    ),
    ("netrc", "machine a.example login ann password \"p w\" # c\ndefault login x password y\nmacdef m\ncd /\n\n"),
    ("pgpass", "# c\nh:5432:d:u:p\\:w\n*:*:*:u:q\n"),
    ("git-credentials", "https://ann:p%40w@a.example\n"),
    ("aws-credentials", "[default]\naws_access_key_id = AKIA\naws_secret_access_key = s\naws_session_token = t\n"),
    ("npmrc", "//registry.example/:_authToken=t\nregistry=https://registry.example\n"),
    (
      "kubernetes-json",
      #"{"apiVersion":"v1","kind":"Secret","metadata":{"name":"n","labels":{"a":"b"}},"type":"Opaque","data":{"p":"cA==","b":"/w=="},"stringData":{"q":"r"}}"#
    ),
    ("hashicorp-kv", #"{"request_id":"r","data":{"data":{"password":"p"},"metadata":{"version":1}}}"#),
    ("doppler", #"{"A":{"computed":"x","note":""},"B":{"computed":"y"}}"#),
    (
      "keeper-json",
      #"{"shared_folders":[],"records":[{"title":"A","login":"ann","password":"p","custom_fields":{"$oneTimeCode":"otpauth://totp/a?secret=JBSWY3DPEHPK3PXP"}}]}"#
    ),
    ("plain-yaml", "- title: A\n  password: 'p'\n  deep: [1, null, {x: y}]\n"),
  ]
}
