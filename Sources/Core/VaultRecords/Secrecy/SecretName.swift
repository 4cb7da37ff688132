/// Names of members and parameters that suggest a secret.
package enum SecretName {
  /// Checks the words of a name in any spelling: `client_secret`, `X-Amz-Signature`, `apiKey`, `user[password]`.
  package static func isSecret(_ name: String) -> Bool {
    let words = words(of: name)
    let joined = words.joined()
    if parts.contains(where: { joined.contains($0) }) { return true }
    if whole.contains(joined) { return true }
    // A code identifies a person or gives access, unless it is that of a country or similar.
    if words.contains("code"), harmlessCodes.isDisjoint(with: words) { return true }
    return !single.isDisjoint(with: words)
  }

  /// The words in lower case, split at upper-case letters, digits and other characters.
  private static func words(of name: String) -> [String] {
    var words: [String] = []
    var word = ""
    var wasLower = false
    for character in name {
      let isWord = character.isLetter || character.isNumber
      if !isWord || character.isUppercase && wasLower {
        if !word.isEmpty { words.append(word) }
        word = ""
      }
      if isWord { word += character.lowercased() }
      wasLower = character.isLowercase || character.isNumber
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  private static let parts = [
    "token", "secret", "passw", "passphrase", "passcode", "passkey", "kennwort", "apikey", "signature", "credential",
    "jwt", "sessionid", "sessid", "privatekey", "accesskey", "authkey", "accountkey", "sharedkey", "authcode",
    "contraseña", "motdepasse", "wachtwoord", "heslo", "пароль", "密码", "パスワード",
  ]
  private static let whole: Set<String> = [
    "sign", "code", "reset", "invite", "magic", "access", "authorization", "cookie",
  ]
  private static let single: Set<String> = [
    "pass", "pwd", "pw", "psk", "pin", "key", "keys", "sig", "hmac", "auth", "bearer", "otp", "totp", "sid", "session",
    "ticket", "cred", "creds", "cvv", "cvc", "clave", "senha", "mdp", "nonce", "sas", "otk",
  ]
  private static let harmlessCodes: Set<String> = [
    "country", "language", "lang", "zip", "postal", "currency", "region", "area", "status", "error", "response",
    "product", "item",
  ]
}
