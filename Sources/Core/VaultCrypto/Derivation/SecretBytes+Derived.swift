extension SecretBytes {
  /// Derives bytes from a passphrase and a salt by a function of C, which fills the whole output and returns whether it
  /// could. The addresses are never NULL.
  @unsafe convenience init(
    count: Int, derivedFrom passphrase: RawSpan, salt: RawSpan, orFail reason: StaticString,
    by function: (_ passphrase: UnsafePointer<UInt8>, _ salt: UnsafePointer<UInt8>, UnsafeMutableRawBufferPointer)
      -> Bool
  ) throws(CryptoError) {
    try self.init(count: count) { output throws(CryptoError) in
      try unsafe output.withUnsafeMutableBytes { output throws(CryptoError) in
        try unsafe passphrase.withInput { passphrase throws(CryptoError) in
          try unsafe salt.withInput { salt throws(CryptoError) in
            try ErrorQueue.check(reason) { unsafe function(passphrase, salt, output) }
          }
        }
      }
    }
  }
}
