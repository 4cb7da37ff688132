import Testing
import VaultDocument
import VaultTestSupport
import VaultSealing

@Suite("Former values of two sides of a merge")
struct FormerValuesJoiningTests {
  private let keys: RecordKeys
  private let start: Timestamp
  private let password: MemberPath

  init() throws {
    keys = try RootKey.random(vaultID: .random()).makeDataKey(for: .random()).keys
    start = try Timestamp(parsing: "2026-11-21T01:40:28Z")
    password = try MemberPath(parsing: "password")
  }

  private func token(_ text: String, at second: Int64) throws -> String {
    try keys.seal(
      secretBytes(Array(text.utf8)), at: Timestamp(secondsSinceEpoch: start.secondsSinceEpoch + second))
  }

  private func former(_ tokens: [String]) -> FormerValues {
    var former = FormerValues()
    if !tokens.isEmpty { former.append(tokens, at: password) }
    return former
  }

  private func fields(_ token: String) throws -> JSONObject { try JSONObject([("password", .string(token))]) }

  /// Joins both ways, which has to give the same.
  private func joined(
    _ base: FormerValues?, _ ours: FormerValues, _ theirs: FormerValues,
    replaced: [JSONObject] = [JSONObject(), JSONObject()],
    by new: JSONObject = JSONObject(), equal: Set<String> = []
  ) -> [String] {
    let (mine, others) = (replaced[0], replaced[1])
    let one = FormerValues.joined(base, ours, theirs, replaced: (mine, others), by: new, equal: equal)
    let other = FormerValues.joined(base, theirs, ours, replaced: (others, mine), by: new, equal: equal)
    #expect(one == other)
    return one.tokens(at: password)
  }

  @Test("random histories come to one list, whichever side is ours: of the base only tokens that both still have")
  func histories() throws {
    var random = SeededGenerator.announced(for: "former values of random histories")
    let pool = try (0..<12).map { try token("value \($0)", at: Int64.random(in: 0..<6, using: &random)) }
    for _ in 0..<TestSeed.caseCount(500) {
      let base = Array(pool.shuffled(using: &random).prefix(Int.random(in: 0...5, using: &random)))
      let sides = (0..<2).map { _ -> [String] in
        let added = pool.filter { !base.contains($0) }.shuffled(using: &random).prefix(3)
        return Array(added) + base.filter { _ in Int.random(in: 0..<5, using: &random) > 0 }
      }
      let list = joined(former(base), former(sides[0]), former(sides[1]))
      let kept = pool.filter { token in
        let count = sides.count { $0.contains(token) }
        return base.contains(token) ? count == 2 : count > 0
      }
      #expect(list.sorted() == kept.sorted())
      let all = joined(nil, former(sides[0]), former(sides[1]))
      #expect(Set(all) == Set(sides[0] + sides[1]), "without a base all stay")
      #expect(Set(all).count == all.count)
    }
  }

  @Test("a value that one side has dropped stays dropped, and the values that the other has added stay")
  func dropped() throws {
    let (one, two, three) = (try token("one", at: 1), try token("two", at: 2), try token("three", at: 3))
    #expect(joined(former([two, one]), former([two]), former([three, two, one])) == [three, two])
    #expect(joined(former([two, one]), FormerValues(), former([three, two, one])) == [three])
    #expect(joined(former([two, one]), FormerValues(), former([two, one])).isEmpty)
    #expect(joined(nil, former([two]), former([three, two, one])) == [three, two, one])
  }

  @Test("the later seal comes first, of one second the greater token, and no list is sorted within itself")
  func order() throws {
    let (one, two, three) = (try token("one", at: 1), try token("two", at: 2), try token("three", at: 3))
    #expect(joined(nil, former([two]), former([three, one])) == [three, two, one])
    #expect(joined(nil, former([one, three]), former([two])) == [two, one, three])
    let sameSecond = try (0..<4).map { try token("\($0)", at: 1) }
    for left in sameSecond {
      for right in sameSecond where left != right {
        #expect(joined(nil, former([left]), former([right])) == [left, right].sorted().reversed())
      }
    }
  }

  @Test("values of one second stay in the order of the side that has them, also if the other side has only some")
  func sameSecond() throws {
    for _ in 0..<20 {
      let list = try (0..<4).map { try token("\($0)", at: 1) }
      for start in 0..<4 {
        #expect(joined(nil, former(list), former(Array(list[start...]))) == list)
        #expect(joined(nil, former(list), former([list[start]])) == list)
        let sides = [JSONObject(), try fields(list[start])]
        #expect(joined(nil, former(list), former(Array(list[(start + 1)...])), replaced: sides) == list)
      }
      let one = joined(nil, former([list[0], list[2]]), former([list[1], list[2], list[3]]))
      #expect(one[2...] == list[2...])
    }
  }

  @Test("the value that loses becomes a former one, and so does the value that neither side keeps")
  func loser() throws {
    let (old, ours, theirs) = (try token("old", at: 0), try token("ours", at: 1), try token("theirs", at: 2))
    let sides = [try fields(ours), try fields(theirs)]
    #expect(joined(nil, former([old]), former([old]), replaced: sides, by: sides[0]) == [theirs, old])
    #expect(joined(nil, former([old]), former([old]), replaced: sides, by: sides[1]) == [ours, old])
    #expect(joined(former([]), former([old]), former([old]), replaced: sides) == [theirs, ours, old])
    let unchanged = try fields(old)
    #expect(joined(nil, former([]), former([]), replaced: [unchanged, sides[0]], by: sides[0]) == [old])
  }

  @Test("a token that lost to another one of the same text, and a token that the result has, is not a former value")
  func notLost() throws {
    let (one, again, two) = (try token("one", at: 0), try token("one", at: 1), try token("two", at: 2))
    let sides = [try fields(one), try fields(again)]
    #expect(joined(nil, former([two]), former([]), replaced: sides, by: sides[1], equal: [one, again]) == [two])
    #expect(joined(nil, former([two, one]), former([]), by: sides[0]) == [two])
    let moved = try JSONObject([("old_password", .string(one))])
    #expect(joined(nil, former([]), former([]), replaced: [sides[0], moved], by: moved).isEmpty)
  }

  @Test("lists of different paths are joined apart")
  func paths() throws {
    let (one, two) = (try token("one", at: 1), try token("two", at: 2))
    var theirs = FormerValues()
    theirs.append([two], at: try MemberPath(parsing: "pin"))
    let both = FormerValues.joined(nil, former([one]), theirs, replaced: (JSONObject(), JSONObject()), by: JSONObject())
    #expect(both.paths.map(\.description) == ["password", "pin"])
    #expect(both.all.map(\.token) == [one, two])
  }
}
