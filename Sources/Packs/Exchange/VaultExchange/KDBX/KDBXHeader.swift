internal import VaultDocument

/// The UUIDs of ciphers and key derivations.
enum KDBXID {
  static let aes = "31c1f2e6bf714350be5805216afc5aff"
  static let chaCha20 = "d6038a2b8b6f4cb5a524339a31dbb59a"
  static let twofish = "ad68f29f576f4bb9a36ad47af965346c"
  static let aesRounds = "c9d9f39a628a4460bf740d08c18a4fea"
  static let aesRounds4 = "7c02bb8279a74ac0927d114a00648238"
  static let argon2d = "ef636ddf8c29444b91f7a9a403e30a0c"
  static let argon2id = "9e298b1956db4773b23dfc3ec6f0a1e6"

  static func bytes(_ id: String) -> [UInt8] { (try? Hex.decode(id)) ?? [] }
}

/// The header of a KeePass database, which says how the rest is sealed.
struct KDBXHeader {
  enum Cipher {
    case aes, chaCha20, twofish
  }

  enum Derivation {
    case aes(seed: [UInt8], rounds: Int)
    case argon2(KDBXArgon2)
  }

  /// The major version: 2, 3 or 4. The differences between 2 and 3 do not matter here.
  let major: Int
  let cipher: Cipher
  let isPacked: Bool
  let seed: [UInt8]
  let nonce: [UInt8]
  let derivation: Derivation
  /// In version 3 only: the cipher of protected values, its key, and the first bytes of the sealed part.
  let stream: (id: Int, key: [UInt8])
  let startBytes: [UInt8]
  /// The bytes of the header, which version 4 authenticates.
  let bytes: [UInt8]

  static var incomplete: ExchangeError {
    ExchangeError(.malformed, "does not have all parts of its header")
  }

  static func begins(_ head: [UInt8]) -> Bool { head.starts(with: [0x03, 0xD9, 0xA2, 0x9A]) }

  init(_ cursor: inout ByteCursor, of file: [UInt8]) throws(ExchangeError) {
    guard try cursor.integer(4) == 0x9AA2_D903 else { throw ExchangeError(.malformed, "is not a KeePass database") }
    guard try cursor.integer(4) == 0xB54B_FB67 else {
      throw ExchangeError(
        .unsupported, "is a database of KeePass 1", advice: ["KeePassXC: Database, Import, KeePass 1 database"])
    }
    _ = try cursor.integer(2)
    major = Int(try cursor.integer(2))
    guard (2...4).contains(major) else {
      throw ExchangeError(.unsupported, "is a KeePass database of a version other than 2, 3 and 4")
    }
    let fields = try Self.fields(&cursor, sizeByteCount: major == 4 ? 4 : 2)
    bytes = Array(file[..<cursor.offset])
    func field(_ id: UInt8, _ count: Int? = nil) throws(ExchangeError) -> [UInt8] {
      guard let value = fields[id], count == nil || value.count == count else {
        throw KDBXHeader.incomplete
      }
      return value
    }
    (cipher, nonce) = try Self.cipher(try field(2), nonce: try field(7))
    let packing = try field(3, 4)
    guard packing[0] < 2, packing.dropFirst().allSatisfy({ $0 == 0 }) else {
      throw ExchangeError(.unsupported, "is compressed in an unknown way")
    }
    isPacked = packing[0] == 1
    seed = try field(4, 32)
    if major == 4 {
      derivation = try KDBXArgon2.derivation(try field(11))
      (stream, startBytes) = ((0, []), [])
      return
    }
    var rounds = ByteCursor(try field(6, 8))
    derivation = try KDBXArgon2.aes(seed: try field(5, 32), rounds: try rounds.integer(8))
    stream = (Int(try field(10, 4)[0]), try field(8))
    startBytes = try field(9, 32)
  }

  private static func fields(
    _ cursor: inout ByteCursor, sizeByteCount: Int
  ) throws(ExchangeError) -> [UInt8: [UInt8]] {
    var fields: [UInt8: [UInt8]] = [:]
    while true {
      let id = try cursor.take(1)[0]
      let value = try cursor.take(try cursor.count(sizeByteCount))
      if id == 0 { return fields }
      guard fields.updateValue(value, forKey: id) == nil else {
        throw ExchangeError(.malformed, "has the same part of its header twice")
      }
    }
  }

  private static func cipher(_ id: [UInt8], nonce: [UInt8]) throws(ExchangeError) -> (Cipher, [UInt8]) {
    let ciphers: [String: (Cipher, nonceByteCount: Int)] = [
      KDBXID.aes: (.aes, 16), KDBXID.chaCha20: (.chaCha20, 12),
      KDBXID.twofish: (.twofish, 16),
    ]
    guard let (cipher, byteCount) = ciphers[Hex.encode(id)] else {
      throw ExchangeError(
        .unsupported, "is encrypted in an unknown way",
        advice: ["KeePassXC: Database, Database Security, Encryption Settings: AES or ChaCha20"])
    }
    guard nonce.count == byteCount else { throw KDBXHeader.incomplete }
    return (cipher, nonce)
  }
}

/// The costs of a key. Limits keep a hostile file from using up time and memory.
struct KDBXArgon2 {
  let isHybrid: Bool
  let isFirstVersion: Bool
  let salt: [UInt8]
  let passes: Int
  let kibibytes: Int
  let lanes: Int

  private static let maximumRounds: UInt64 = 1 << 30
  private static let maximumKibibytes: UInt64 = 1 << 20
  /// The limit of passes times kibibytes: some minutes.
  private static let maximumWork: UInt64 = 1 << 28

  static func aes(seed: [UInt8], rounds: UInt64) throws(ExchangeError) -> KDBXHeader.Derivation {
    guard seed.count == 32 else { throw KDBXHeader.incomplete }
    guard (1...maximumRounds).contains(rounds) else { throw tooCostly }
    return .aes(seed: seed, rounds: Int(rounds))
  }

  /// Reads the parameters of version 4: a list of names and values with types.
  static func derivation(_ bytes: [UInt8]) throws(ExchangeError) -> KDBXHeader.Derivation {
    var (numbers, values): ([String: UInt64], [String: [UInt8]]) = ([:], [:])
    var cursor = ByteCursor(bytes)
    guard try cursor.integer(2) >> 8 == 1 else {
      throw ExchangeError(.unsupported, "does not say in a known form how its key is derived")
    }
    while true {
      let type = try cursor.take(1)[0]
      if type == 0 { break }
      let name = String(decoding: try cursor.take(try cursor.count(4)), as: UTF8.self)
      let value = try cursor.take(try cursor.count(4))
      values[name] = value
      if value.count <= 8 { numbers[name] = value.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    }
    switch Hex.encode(values["$UUID"] ?? []) {
    case KDBXID.aesRounds, KDBXID.aesRounds4:
      return try aes(seed: values["S"] ?? [], rounds: numbers["R"] ?? 0)
    case KDBXID.argon2d: return .argon2(try KDBXArgon2(numbers, values, isHybrid: false))
    case KDBXID.argon2id: return .argon2(try KDBXArgon2(numbers, values, isHybrid: true))
    default: throw ExchangeError.unknownDerivation()
    }
  }

  private init(
    _ numbers: [String: UInt64], _ values: [String: [UInt8]], isHybrid: Bool
  ) throws(ExchangeError) {
    guard let passes = numbers["I"], let memory = numbers["M"], let lanes = numbers["P"], let salt = values["S"],
      salt.count >= 8, let version = numbers["V"]
    else { throw KDBXHeader.incomplete }
    guard values["K"]?.isEmpty ?? true, values["A"]?.isEmpty ?? true, version == 0x10 || version == 0x13 else {
      throw ExchangeError.unknownDerivation()
    }
    let kibibytes = memory >> 10
    guard passes >= 1, (1...255).contains(lanes), kibibytes >= 8 * lanes, kibibytes <= Self.maximumKibibytes,
      passes <= Self.maximumWork / kibibytes
    else { throw Self.tooCostly }
    (self.isHybrid, isFirstVersion, self.salt) = (isHybrid, version == 0x10, salt)
    (self.passes, self.kibibytes, self.lanes) = (Int(passes), Int(kibibytes), Int(lanes))
  }

  private static var tooCostly: ExchangeError {
    ExchangeError(
      .unsupported, "needs more work to open than anybody would set: over 1 GiB or some minutes",
      advice: ["KeePassXC: Database, Database Security, Encryption Settings: less memory and fewer rounds"])
  }
}
