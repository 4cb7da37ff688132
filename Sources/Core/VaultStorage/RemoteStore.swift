/// A store on another machine, or behind another program, that can describe itself.
package protocol RemoteStore: RecordStore {
  /// The name by which machines know the store: its address in one form, without the user.
  var knownAddress: String { get }

  /// The identity of the store, and the user that this client is to it.
  func state() throws(StoreError) -> RemoteState

  /// Findings for the operator of the store, good and bad.
  func inspection() throws(StoreError) -> [RemoteFinding]

  /// All live records at one moment, only for reading, if they are few enough for one request; nil for any other vault.
  func fewRecords() throws(StoreError) -> (any RecordStore)?

  /// Says that the next lock of this store is for a change of a record, so that its documents can come with the lock.
  func expectChange(of id: RecordID)

  /// Waits while the store is a replica that may be behind the server that takes changes. The total wait of all calls
  /// is limited.
  ///
  /// - Parameter isNewer: whether the data that the caller needs has come.
  /// - Returns: why the wait ended; nil for a store that is not a replica.
  func catchUp(until isNewer: () -> Bool) -> ReplicaState?
}

/// How far a replica is behind the server that it follows.
package enum ReplicaState: Sendable {
  /// The data that the caller needs has come.
  case newer
  /// Some changes have not arrived yet, or nobody can tell.
  case behind
  /// All sent changes have arrived, for a while.
  case caughtUp
}

extension RemoteStore {
  package func catchUp(until isNewer: () -> Bool) -> ReplicaState? { nil }

  public func fewRecords() throws(StoreError) -> (any RecordStore)? { nil }
}

/// The reasons for waiting for a store on another machine.
package enum RemoteWait: Sendable {
  /// The answer to a statement.
  case answer
  /// The confirmation that a change is stored.
  case commit
  /// A connection, while the server cannot be reached.
  case connection
  /// A replica that is behind.
  case replica
}

/// The self-description of a store on another machine.
package struct RemoteState: Sendable {
  /// Its name and version in its own words, escaped and cut.
  package let engine: String
  /// How the connection is encrypted; nil if it is not.
  package let encryption: String?
  /// Whether the connection stays on this machine, so that nobody can listen.
  package let isLocal: Bool
  package let role: String
  /// Raised by each write.
  package let generation: Int64
  /// The process that holds the lock, as PID@HOST; nil if it is free.
  package let holder: String?

  package init(
    engine: String, encryption: String?, isLocal: Bool, role: String, generation: Int64, holder: String?
  ) {
    (self.engine, self.encryption, self.isLocal) = (engine, encryption, isLocal)
    (self.role, self.generation, self.holder) = (role, generation, holder)
  }
}

/// The result of one check of a store on another machine.
package struct RemoteFinding: Sendable {
  package enum State: Sendable {
    /// As it should be.
    case good
    /// It works but should be improved.
    case doubtful
    /// It does not work, or is not safe.
    case bad
  }

  /// The subject of the check, a word or two.
  package let name: String
  package let state: State
  /// The finding, without values of the store.
  package let text: String

  package init(_ name: String, state: State, text: String) {
    (self.name, self.state, self.text) = (name, state, text)
  }
}
