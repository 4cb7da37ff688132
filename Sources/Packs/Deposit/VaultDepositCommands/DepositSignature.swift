import VaultDeposit
import VaultDocument
import VaultKit
import VaultSystem
import VaultTerminal

/// SSH signatures of deposits, made and verified by ssh-keygen.
enum DepositSignature {
  static let tool = "ssh-keygen"
  /// A signature for another use never counts here.
  static let namespace = "vault-deposit"
  private static let begin = "-----BEGIN SSH SIGNATURE-----"
  private static let end = "-----END SSH SIGNATURE-----"

  /// The signature in a text of the program, which also has other lines; nil without one.
  static func armored(in text: String) -> String? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.firstIndex(where: { $0 == begin }), let last = lines.lastIndex(where: { $0 == end }),
      first < last
    else { return nil }
    return lines[first...last].joined(separator: "\n") + "\n"
  }

  /// Whether a signature of a stranger has the form, so that it may be given to ssh-keygen.
  fileprivate static func hasForm(_ text: String) -> Bool {
    guard armored(in: text) == text else { return false }
    let body = text.split(separator: "\n").dropFirst().dropLast()
    return !body.isEmpty && body.allSatisfy { $0.utf8.count <= 76 && $0.utf8.allSatisfy(isBase64) }
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
      true
    default: false
    }
  }

  fileprivate static func run(_ words: [String], _ input: [UInt8]) throws -> (code: Int32, text: String) {
    let answer = try unsafe System.answerOfTool(
      tool, arguments: words, value: input.span.bytes, variables: System.variablesForTools())
    guard let answer else {
      throw CommandError(
        .inputOutput, "no_ssh_keygen", subject: tool, "is not installed",
        hints: ["install openssh-client, or the package that has ssh-keygen here"])
    }
    return answer
  }
}

extension Deposit {
  /// Adds a signature. The private key may be a file, or in the ssh-agent if the file is its public key.
  mutating func sign(withKeyAt path: String, for vault: VaultID) throws {
    let words = ["-Y", "sign", "-n", DepositSignature.namespace, "-f", path]
    let answer = try DepositSignature.run(words, signedBytes(for: vault))
    guard answer.code == 0, let signature = DepositSignature.armored(in: answer.text) else {
      throw CommandError(
        .inputRefused, "not_signed", subject: path, "ssh-keygen could not sign with this key",
        hints: ["name a private key without a passphrase, or the public key of one in the ssh-agent"])
    }
    self.signature = signature
  }
}

/// The proof that a signature of a deposit gives.
enum SignatureState: Equatable {
  case none
  /// By this person, as the vault's list of signers says.
  case good(String)
  /// By a key that the list does not have, or that may not sign deposits now.
  case unknown
  /// The vault has no list of signers.
  case unchecked

  var words: String {
    switch self {
    case .none: "none"
    case .good(let signer): "by \(signer)"
    case .unknown: "not valid"
    case .unchecked: "unchecked"
    }
  }

  var signer: String? { if case .good(let signer) = self { signer } else { nil } }
}

/// Verifies signatures of deposits. The list of signers and a signature, which are not secret, are files for
/// ssh-keygen. The signed bytes, which hold the secret, go through a pipe.
final class SignatureCheck {
  private let vault: VaultID
  private let folder: String?
  private var signers: String { System.join(folder ?? "", "allowed_signers") }
  private var signature: String { System.join(folder ?? "", "signature") }

  init(_ header: VaultHeader) throws {
    vault = header.vaultID
    guard let list = header.deposit?.signers else {
      folder = nil
      return
    }
    folder = try System.makeTemporaryDirectory(in: ProcessEnvironment.temporaryDirectory)
    let text = Array(list.utf8)
    try unsafe OutputFile.create(signers, text.span.bytes, isSynced: false)
  }

  deinit { if let folder { System.removeDirectory(folder) } }

  func state(of deposit: Deposit) throws -> SignatureState {
    guard let text = deposit.signature else { return .none }
    guard folder != nil else { return .unchecked }
    guard DepositSignature.hasForm(text) else { return .unknown }
    if System.kind(of: signature) != nil { System.remove(signature) }
    let bytes = Array(text.utf8)
    try unsafe OutputFile.create(signature, bytes.span.bytes, isSynced: false)
    let found = try DepositSignature.run(["-Y", "find-principals", "-s", signature, "-f", signers], [])
    guard found.code == 0,
      let signer = found.text.split(whereSeparator: { "\n,".contains($0) }).first.map(String.init), signer.first != "-"
    else { return .unknown }
    let words = ["-Y", "verify", "-f", signers, "-I", signer, "-n", DepositSignature.namespace, "-s", signature]
    let verified = try DepositSignature.run(words, deposit.signedBytes(for: vault))
    return verified.code == 0 ? .good(signer) : .unknown
  }
}
