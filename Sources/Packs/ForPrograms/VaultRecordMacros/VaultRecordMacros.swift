#if Macros
  // What a record type is written with, so that one import is enough.
  @_exported public import VaultDocument
  @_exported public import VaultRecords
  @_exported public import VaultSealing

  /// Makes a struct a record type: its conformance to `VaultRecord`, coding keys, nested objects, and what names a
  /// record in lists.
  ///
  /// ```swift
  /// @VaultRecord("customer", keys: .snake)
  /// struct Customer {
  ///   @Title var name: String
  ///   var accessKey: EncryptedCodableString
  ///   @Nested("address") var city: String?
  /// }
  /// ```
  ///
  /// Each stored property is a member of the JSON. One that is optional, or has a value of its own, may be absent
  /// there; an object of optional properties alone is absent where it has none of them.
  ///
  /// - Parameters:
  ///   - kind: the name of the kind, `[a-z][a-z0-9-]{0,63}`; without one the type's name in kebab case.
  ///   - keys: the style of the names in JSON; without one the names of the properties, as Codable has them.
  @attached(
    extension, conformances: VaultRecord, names: named(init(from:)), named(encode(to:)), named(kindName),
    named(titlePaths))
  public macro VaultRecord(_ kind: String? = nil, keys: KeyStyle? = nil) =
    #externalMacro(module: "RecordMacroPlugin", type: "VaultRecordMacro")

  /// What names a record in lists: the first of these properties that a record has. It is a readable text.
  @attached(peer)
  public macro Title() = #externalMacro(module: "RecordMacroPlugin", type: "MarkMacro")

  /// Puts a property into an object of the JSON, or into one in another: `@Nested("contact", "phones")`.
  @attached(peer)
  public macro Nested(_ names: String...) = #externalMacro(module: "RecordMacroPlugin", type: "MarkMacro")

  /// Gives a property another name in JSON than its own.
  @attached(peer)
  public macro Key(_ name: String) = #externalMacro(module: "RecordMacroPlugin", type: "MarkMacro")
#endif
