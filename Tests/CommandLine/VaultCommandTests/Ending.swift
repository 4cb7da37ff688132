import Testing
import VaultTerminal
import VaultTestSupport

/// How a run ended: its exit code by the name of the product's table.
struct Ending: Equatable, CustomTestStringConvertible {
  /// The exit code; minus the number of the signal that ended the process.
  let code: Int32

  private init(_ status: VaultTerminal.ExitStatus) { code = status.rawValue }

  fileprivate init(of run: ProcessOutcome) { code = run.code }

  var testDescription: String { VaultTerminal.ExitStatus(rawValue: code).map { "\($0), \(code)" } ?? "\(code)" }
}

extension Ending {
  static let done = Ending(.done)
  static let failed = Ending(.failed)
  static let unknownVaultID = Ending(.unknownVaultID)
  static let declined = Ending(.declined)
  static let partlyDone = Ending(.partlyDone)
  static let alreadyExists = Ending(.alreadyExists)
  static let noVault = Ending(.noVault)
  static let notFound = Ending(.notFound)
  static let cannotUnlock = Ending(.cannotUnlock)
  static let locked = Ending(.locked)
  static let damaged = Ending(.damaged)
  static let findings = Ending(.findings)
  static let changedUnderneath = Ending(.changedUnderneath)
  static let unexpectedVault = Ending(.unexpectedVault)
  static let inputRefused = Ending(.inputRefused)
  static let inputOutput = Ending(.inputOutput)
  static let mayBeLost = Ending(.mayBeLost)
  static let outcomeUnknown = Ending(.outcomeUnknown)
  static let afterFailed = Ending(.afterFailed)
  static let usage = Ending(.usage)
  static let notRun = Ending(.notRun)
  static let cannotExecute = Ending(.cannotExecute)
  static let commandNotFound = Ending(.commandNotFound)
}

extension ProcessOutcome {
  var status: Ending { Ending(of: self) }
}
