package import VaultCLI
package import VaultCare
package import VaultStorage

/// A keeper of earlier states as other packs ask it: for checks, repairs and scans.
package protocol KeptStates: HistoryKeeper {
  /// An unfinished operation in the folder, in a line.
  func unfinished(in folder: String) -> String?
  /// The checks of `doctor` for a vault that is kept.
  ///
  /// - Parameter missingLines: The lines that git needs in the vault's own files, each with its file.
  func checks(of session: Session, missingLines: [String]) throws -> [DoctorCheck]
  /// The versions of the vault's files. Nil without any.
  func fileHistory(ofVaultAt folder: String) -> (any FileHistory)?
  /// The files of a vault in a state.
  func store(of location: VaultLocation, at revision: String) throws -> any RecordStore
  /// The texts that states bring, in the work tree of the working directory.
  ///
  /// - Parameter revisions: Nil means the texts that the next state will bring.
  func changes(since revisions: String?) throws -> [ChangedText]
}

extension Packs {
  /// The keeper of earlier states; nil if the program has no such pack.
  package static var keptStates: (any KeptStates)? { history as? any KeptStates }

  package static func requiredKeptStates() throws -> any KeptStates {
    guard let states = try requiredHistory() as? any KeptStates else {
      preconditionFailure("the keeper of histories answers packs, too")
    }
    return states
  }
}

/// A text that a state brings: a file, or the message of a commit.
package struct ChangedText {
  /// Nil for the next commit.
  package let commit: String?
  /// The name of the place.
  package let place: String
  /// Nil if the text is not there, or is longer than the limit.
  package let read: (_ limit: Int) -> [UInt8]?

  package init(commit: String?, place: String, read: @escaping (_ limit: Int) -> [UInt8]?) {
    (self.commit, self.place, self.read) = (commit, place, read)
  }
}
