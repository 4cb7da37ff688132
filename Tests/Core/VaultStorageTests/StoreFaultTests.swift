import Testing
import VaultFileStore
import VaultStorage
import VaultTestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Lets every system call of every operation fail in turn.
@Suite("Faults at every call") struct StoreFaultTests {
  private struct Outcome {
    let isAcknowledged: Bool
    let error: StoreError?
    let call: String?
  }

  private func apply(_ scenario: StoreScenario, at path: String, _ operations: FaultyFileOperations) -> Outcome {
    do throws(StoreError) {
      let store = try DirectoryStore(at: path, operations: operations)
      try scenario.apply(to: store)
      return Outcome(isAcknowledged: true, error: nil, call: operations.reachedCall)
    } catch {
      return Outcome(isAcknowledged: false, error: error, call: operations.reachedCall)
    }
  }

  /// Runs a scenario with the fault at call 1, 2, … until it is not reached; returns how many runs there were.
  private func forEveryCall(
    of scenario: StoreScenario, _ fault: FaultyFileOperations.Fault, _ check: (String, Outcome, Comment) throws -> Void
  ) throws -> Int {
    let folder = TemporaryFolder()
    for number in Sweep("\(scenario), \(fault)") {
      let path = try scenario.makeVault(in: folder)
      let operations = FaultyFileOperations(fault, at: number, recorder: SimulatedDisk())
      let outcome = apply(scenario, at: path, operations)
      guard let call = outcome.call else {
        #expect(outcome.isAcknowledged, "without a fault it succeeds")
        return number - 1
      }
      try check(path, outcome, "\(scenario), call \(number) (\(call)): \(outcome.error?.description ?? "no error")")
      FileTree.remove(path)
    }
    return 0
  }

  private func expectNothingLeft(at path: String, _ comment: Comment) {
    #expect(FileTree.names(in: path + "/.staging").isEmpty, comment)
    #expect(FileTree.contents(of: path + "/.journal.json") == nil, comment)
  }

  @Test(
    "a call that fails once is an error with the old state, or no error and the new one",
    arguments: StoreScenario.all, [EIO, ENOSPC, EDQUOT, EACCES])
  func failingOnce(_ scenario: StoreScenario, errno: Int32) throws {
    let count = try forEveryCall(of: scenario, .failing(errno)) { path, outcome, comment in
      let store = try DirectoryStore(at: path)
      let expected = outcome.isAcknowledged ? scenario.after : scenario.before
      #expect(scenario.isState(try scenario.documents(of: store), expected), comment)
      expectNothingLeft(at: path, comment)
      if let error = outcome.error {
        #expect(error.errno == errno, comment)
        #expect((error.code == .diskFull) == [ENOSPC, EDQUOT].contains(errno), comment)
      }
    }
    print("faults, \(scenario), error \(errno): \(count) calls failed in turn")
    #expect(count > 10)
  }

  @Test("a call that keeps failing never leaves a mix", arguments: StoreScenario.all, [EIO, ENOSPC])
  func failingForEver(_ scenario: StoreScenario, errno: Int32) throws {
    let count = try forEveryCall(of: scenario, .failingFromThereOn(errno)) { path, outcome, comment in
      let documents = try scenario.documents(of: try DirectoryStore(at: path))
      let isOld = scenario.isState(documents, scenario.before)
      #expect(scenario.isState(documents, scenario.after) || isOld && !outcome.isAcknowledged, comment)
      expectNothingLeft(at: path, comment)
    }
    #expect(count > 10)
  }

  @Test(
    "a call that fails twice, such as a sync and the removal of its journal, never leaves a mix",
    arguments: StoreScenario.all)
  func failingTwice(_ scenario: StoreScenario) throws {
    let count = try forEveryCall(of: scenario, .failingTwice(EIO)) { path, outcome, comment in
      let documents = try scenario.documents(of: try DirectoryStore(at: path))
      let isOld = scenario.isState(documents, scenario.before)
      #expect(scenario.isState(documents, scenario.after) || isOld && !outcome.isAcknowledged, comment)
      expectNothingLeft(at: path, comment)
    }
    #expect(count > 10)
  }

  @Test("an interrupted call is made again", arguments: StoreScenario.all)
  func interrupted(_ scenario: StoreScenario) throws {
    let count = try forEveryCall(of: scenario, .failing(EINTR)) { path, outcome, comment in
      #expect(outcome.isAcknowledged, comment)
      let documents = try scenario.documents(of: try DirectoryStore(at: path))
      #expect(documents == scenario.after, comment)
    }
    #expect(count > 10)
  }

  @Test("a failed creation can be repeated, and never writes a header")
  func creation() throws {
    let folder = TemporaryFolder()
    var number = 1
    while true {
      let path = folder.path + "/\(number)"
      let operations = FaultyFileOperations(.failing(ENOSPC), at: number, recorder: SimulatedDisk())
      let result = Result { try DirectoryStore.create(at: path, operations: operations) }
      guard operations.reachedCall != nil else { break }
      _ = try? result.get()
      let store = try DirectoryStore.create(at: path)
      #expect(try store.read(.header) == nil)
      try store.apply([.put(.header, [1])])
      #expect(FileTree.names(in: path + "/.staging").isEmpty)
      number += 1
    }
    #expect(number > 20)
  }
}
