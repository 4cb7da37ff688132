import VaultDocument

/// A JSON document: parsed, written, parsed again.
enum JSONTarget: FuzzTarget {
  static let name = "json"

  static func seeds() -> [[UInt8]] {
    [
      #"{"a":[1,-0.5e+3,"\u00e9\ud83d\ude00\n",true,false,null,{}],"b":{"c":[]}}"#,
      #"{"\u0065\u0301":1,"e":2,"é":3}"#, #"[[[[[[[[""]]]]]]]]"#, " \t\r\n0 ", #""\"\\\/\b\f\n\r\t\u001f""#,
      "12345678901234567890.50E-10", #"{"z":1,"a":2,"z":3}"#, #"{"odd.name":{"":["x","y"]},"\u007f[0]":"z"}"#,
    ].map { Array($0.utf8) }
  }

  static func check(_ input: [UInt8]) {
    switch outcome({ () throws(DocumentError) in try JSONParser.parse(input) }) {
    case .failure(let error): checkPlace(of: error, in: input)
    case .success(let value):
      checkForms(of: value)
      checkCanonical(value)
      checkPaths(of: value)
      checkDifference(value)
    }
  }

  private static func checkPlace(of error: DocumentError, in input: [UInt8]) {
    guard let line = error.line, let column = error.column else {
      return require(error.code == .tooLarge, "a syntax error names its line and column")
    }
    let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    require((1...lines.count).contains(line), "an error's line is one of the input")
    require((1...lines[line - 1].count + 1).contains(column), "an error's column is on its line or just behind it")
  }

  private static func checkForms(of value: JSONValue) {
    let pretty = must("what was read can be written") { () throws(DocumentError) in try value.prettyBytes() }
    let compact = must("what was read can be written") { () throws(DocumentError) in try value.compactBytes() }
    for form in [pretty, compact] {
      let again = must("what was written can be read") { () throws(DocumentError) in try JSONParser.parse(form) }
      require(again == value, "written and read, a tree is the same")
      require((try? again.prettyBytes()) == pretty, "the canonical form is written with the same bytes")
    }
    require(!compact.contains { $0 < 0x20 }, "the compact form has no white space but in strings")
  }

  private static func checkCanonical(_ value: JSONValue) {
    require(CanonicalReader.read(value.canonicalBytes()) == value, "T can be read back to the same tree")
  }

  private static func checkPaths(of value: JSONValue) {
    value.forEachString { path, text in
      let again = must("a printed path can be read") { () throws(DocumentError) in
        try MemberPath(parsing: path.description)
      }
      require(again == path, "a printed path is read as the same path")
      require((try? value.value(at: path)) == .string(text), "a path leads to its value")
      guard !path.components.isEmpty else { return }
      var edited = value
      must("what is there can be replaced") { () throws(DocumentError) in try edited.set(.string(text), at: path) }
      require(edited == value, "a value replaced by itself changes nothing")
      must("what is there can be removed") { () throws(DocumentError) in try edited.remove(at: path) }
      require(edited != value, "a value that was removed is gone")
    }
    var mapped = value
    mapped.mapStrings { $1 }
    require(mapped == value, "strings replaced by themselves change nothing")
  }

  private static func checkDifference(_ value: JSONValue) {
    require(value.applying(differenceFrom: value, to: value) == value, "no difference changes nothing")
    var shorter = value
    guard case .object(let members) = value, let first = members.first else { return }
    must("a member can be removed") { () throws(DocumentError) in
      try shorter.remove(at: MemberPath([.member(first.name)]))
    }
    require(value.applying(differenceFrom: value, to: shorter) == shorter, "a member that goes is removed")
    require(shorter.applying(differenceFrom: shorter, to: value) == value, "a member that comes is added")
  }
}
