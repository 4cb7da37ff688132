#if os(Linux)
  import Testing
  import VaultTestSupport

  @Suite("How the program is linked")
  struct LinkingTests {
    private func readelf(_ words: String...) -> [String] {
      ProcessRun(path: "/usr/bin/readelf", arguments: words + [Binary.path]).run().output.split(separator: "\n")
        .map(String.init)
    }

    @Test("its addresses are random, its stack is not executable, and its symbols are resolved and then read-only")
    func hardening() {
      guard Need.command("readelf").isMet(forCases: 1, of: "LinkingTests") else { return }
      let segments = readelf("-lW")
      #expect(segments.contains { $0.contains("GNU_RELRO") })
      #expect(segments.contains { $0.contains("GNU_STACK") })
      #expect(!segments.contains { $0.contains("GNU_STACK") && $0.contains(" RWE ") })
      #expect(!segments.contains { $0.contains("LOAD") && $0.contains(" RWE ") })
      let entries = readelf("-dW")
      #expect(entries.contains { $0.contains("(FLAGS_1)") && $0.contains("NOW") })
      #expect(entries.contains { $0.contains("(FLAGS_1)") && $0.contains("PIE") })
      #expect(!entries.contains { $0.contains("(TEXTREL)") || $0.contains("(RPATH)") })
    }
  }
#endif
