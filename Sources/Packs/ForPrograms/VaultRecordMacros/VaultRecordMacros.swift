#if Macros
  // The modules for a record type, so that one import is enough.
  @_exported public import VaultDocument
  @_exported public import VaultRecords
  @_exported public import VaultSealing

  /// Makes a struct a record type: its conformance to `VaultRecord`, coding keys, nested objects, and titles for lists.
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
  /// Each stored property is a member of the JSON. A property that is optional or has a default may be absent. An
  /// object of optional properties only is absent if it is empty.
  ///
  /// - Parameters:
  ///   - kind: the name of the kind, `[a-z][a-z0-9-]{0,63}`; by default the type's name in kebab case.
  ///   - keys: the style of the names in JSON; by default the names of the properties, as in Codable.
  @attached(
    extension, conformances: VaultRecord, names: named(init(from:)), named(encode(to:)), named(kindName),
    named(titlePaths))
  public macro VaultRecord(_ kind: String? = nil, keys: KeyStyle? = nil) =
    #externalMacro(module: "RecordMacroPlugin", type: "VaultRecordMacro")

  /// Marks a readable text that names a record in lists. The first title that a record has is used.
  @attached(peer)
  public macro Title() = #externalMacro(module: "RecordMacroPlugin", type: "MarkMacro")

  /// Puts a property into an object of the JSON, or into nested objects: `@Nested("contact", "phones")`.
  @attached(peer)
  public macro Nested(_ names: String...) = #externalMacro(module: "RecordMacroPlugin", type: "MarkMacro")

  /// Gives a property another name in JSON.
  @attached(peer)
  public macro Key(_ name: String) = #externalMacro(module: "RecordMacroPlugin", type: "MarkMacro")
#endif
