/// A store on another machine, or behind another program, that can tell about itself.
package protocol RemoteStore: RecordStore {
  /// What machines know it by: its address in one form, without the user.
  var knownAddress: String { get }

  /// What it is, and who this is to it.
  func state() throws(StoreError) -> RemoteState

  /// What is to be looked at by whoever runs it, and what was looked at and is good.
  func inspection() throws(StoreError) -> [RemoteFinding]

  /// All live records as they are at one moment, for reading alone, where there are so few that one question brings
  /// them; nil for any other vault.
  func fewRecords() throws(StoreError) -> (any RecordStore)?

  /// Waits while the store is a replica that may have less than the server that takes changes. Of all calls together
  /// the wait has an end.
  ///
  /// - Parameter isNewer: whether what the caller looks for has come.
  /// - Returns: why the wait ended; nil for a store that is not a replica.
  func catchUp(until isNewer: () -> Bool) -> ReplicaState?
}

/// What a replica has of the changes of the server that it follows.
package enum ReplicaState: Sendable {
  /// What the caller looks for has come.
  case newer
  /// Some changes have not arrived yet, or nobody can tell.
  case behind
  /// All that was sent has arrived, for a while.
  case caughtUp
}

extension RemoteStore {
  package func catchUp(until isNewer: () -> Bool) -> ReplicaState? { nil }

  public func fewRecords() throws(StoreError) -> (any RecordStore)? { nil }
}

/// What a store on another machine waits for.
package enum RemoteWait: Sendable {
  /// The answer to a statement.
  case answer
  /// The word that a change is stored.
  case commit
  /// A connection: the server cannot be reached.
  case connection
  /// A replica that is behind.
  case replica
}

/// What a store on another machine tells about itself.
package struct RemoteState: Sendable {
  /// Its name and version, in its own words: escaped and cut.
  package let engine: String
  /// How the connection is encrypted; nil when it is not.
  package let encryption: String?
  /// Whether nothing between here and there could listen.
  package let isLocal: Bool
  /// Who this is to it.
  package let role: String
  /// Raised by each write.
  package let generation: Int64
  /// The process that holds the lock, as PID@HOST; nil for none.
  package let holder: String?

  /// A state of these.
  package init(
    engine: String, encryption: String?, isLocal: Bool, role: String, generation: Int64, holder: String?
  ) {
    (self.engine, self.encryption, self.isLocal) = (engine, encryption, isLocal)
    (self.role, self.generation, self.holder) = (role, generation, holder)
  }
}

/// One thing that was looked at in a store on another machine.
package struct RemoteFinding: Sendable {
  /// How it is.
  package enum State: Sendable {
    /// As it should be.
    case good
    /// Works, and should be better.
    case doubtful
    /// Does not work, or is not safe.
    case bad
  }

  /// What was looked at, a word or two.
  package let name: String
  /// How it is.
  package let state: State
  /// How it is, without values of the store.
  package let text: String

  /// A finding of these.
  package init(_ name: String, state: State, text: String) {
    (self.name, self.state, self.text) = (name, state, text)
  }
}
