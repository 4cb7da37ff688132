import VaultCLI
import VaultCrypto
import VaultDelivery
import VaultDocument
import VaultSystem
import VaultTerminal

struct ProgramRun {
  /// How many of the last command-line words are the program and its arguments.
  private let wordCount: Int
  private var environment: ProgramEnvironment
  private let redaction: OutputRedaction
  private let waits: Bool
  private var input: Int32?
  private var folder: DeliveryFolder?

  /// - Parameter waits: whether this process stays beside the program even if that is not needed.
  init(wordCount: Int, environment: ProgramEnvironment, redaction: OutputRedaction, waits: Bool) {
    self.wordCount = wordCount
    self.environment = environment
    self.redaction = redaction
    self.waits = waits
  }

  /// Adds a value, in the way of its delivery.
  mutating func give(_ value: SecretBytes, as delivery: Delivery) throws {
    switch delivery.form {
    case .input: input = try System.memoryFile(of: value)
    case .descriptor:
      try set(delivery, to: .text("/proc/self/fd/\(System.memoryFile(of: value))"))
    case .file:
      let folder = try folder ?? DeliveryFolder.make()
      self.folder = folder
      try set(delivery, to: .text(folder.add(delivery.name, value)))
    case .variable: try set(delivery, to: value)
    }
  }

  private mutating func set(_ delivery: Delivery, to value: SecretBytes) throws {
    do {
      try environment.set(delivery.name, to: value)
    } catch let fault as EnvironmentFault {
      throw CommandError(
        .inputRefused, "input_refused", subject: delivery.source, fault.description,
        hints: ["use --fd \(delivery.name)=…, which gives the program a file in memory"])
    }
  }

  /// Becomes the program, or waits for it and ends in the same way. Returns only on failure, with the error number.
  func run(_ messages: Messages) throws -> Int32 {
    guard waits || folder != nil || !redaction.streams.isEmpty else {
      return System.becomeProgram(ofLastArguments: wordCount, in: environment, input: input)
    }
    let (relays, output, errors, tally) = try redaction.relays()
    let streams = ChildStreams(input: input, output: output, errors: errors, kept: nil)
    var program: SupervisedProgram
    do throws(SystemError) {
      program = try SupervisedProgram(relays) { () throws(SystemError) in
        try System.startProgram(ofLastArguments: wordCount, in: environment, streams: streams)
      }
    } catch {
      return error.number
    }
    let (end, failure) = program.wait { folder?.remove() }
    if tally.count > 0 {
      let values = tally.count == 1 ? "1 sealed value was" : "\(tally.count) sealed values were"
      let way = redaction.mayBeShown ? "; `--redact never` shows the values" : ""
      messages.note("\(values) replaced in the output\(way)")
    }
    if let failure {
      guard end.status != 0 else { throw failure }
      messages.report(CommandError(failure))
    }
    end.imitate()
  }
}
