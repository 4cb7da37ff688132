import ArgumentParser
import VaultCLI
import VaultDelivery
import VaultDocument
import VaultKit
import VaultRecords
import VaultSealing
import VaultTerminal

/// `vault refs`: checks references without a key.
struct RefsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refs",
    abstract: "Check the references in files, without a key.",
    discussion: """
      Example:
        git ls-files -z '*.env' | xargs -0 vault refs

      The command finds cvault:// references in any text. It checks that the record and the field exist, and that a \
      program can be given the value. It also checks that the label is still the record's name.

      A file named .env or *.env is read as `vault run --env-file` reads it. The command also reports a variable there \
      that has the name of a secret but a plain value.

      Nothing is verified, because there is no key. The command exits with 14 if there is something to do.
      """)

  @Argument(help: "Files; - is standard input.")
  var file: [String]

  @OptionGroup(title: "Vault", visibility: .hidden) var vault: VaultOptions
  @OptionGroup(visibility: .hidden) var global: GlobalOptions

  func run() async throws {
    let session = try Session(vault, global)
    var findings: [ReferenceFinding] = []
    for file in file { findings += try await Self.findings(in: file, session) }
    try ReferenceReport(findings: findings, fileCount: file.count).print(session)
    if findings.contains(where: { $0.fault != nil }) { throw Finished(status: .findings) }
  }

  private static func findings(in file: String, _ session: Session) async throws -> [ReferenceFinding] {
    let bytes = try contents(of: file)
    var findings: [ReferenceFinding] = []
    for (line, text) in SecretReference.found(in: bytes) {
      findings.append(await ReferenceFinding(text, file: file, line: line, session))
    }
    let name = file.split(separator: "/").last ?? ""
    guard name.hasSuffix(".env") || name.hasPrefix(".env.") else { return findings }
    for line in EnvironmentFile.lines(of: bytes, refusing: Delivery.isOwn) {
      switch line {
      case .success(let entry):
        guard case .text(let value) = entry.variable.content, !value.isEmpty,
          SecretName.isSecret(entry.variable.name)
        else { continue }
        findings.append(
          ReferenceFinding(
            file: file, line: entry.line, fault: "\(entry.variable.name) has a secret's name and a readable value"))
      case .failure(let fault):
        // An invalid reference was reported already.
        if !findings.contains(where: { $0.line == fault.line && $0.fault != nil }) {
          findings.append(ReferenceFinding(file: file, line: fault.line ?? 0, fault: fault.reason))
        }
      }
    }
    return findings.sorted { $0.line < $1.line }
  }

  private static func contents(of file: String) throws -> [UInt8] {
    if file == "-" {
      guard let bytes = System.bytes(from: System.standardInput, limit: 64 << 20) else {
        throw CommandError(.inputOutput, "io_failed", subject: "-", "cannot be read, or is longer than 64 MiB")
      }
      return bytes
    }
    let opened = try NamedFile.reading(file)
    guard let bytes = System.bytes(from: opened.descriptor, limit: 64 << 20) else {
      throw CommandError(
        .inputOutput, "io_failed", subject: file, "cannot be read, or is longer than 64 MiB", hints: ["name text files"]
      )
    }
    return bytes
  }
}

struct ReferenceFinding {
  let file: String
  let line: Int
  var reference: SecretReference?
  var field: ReferencedField?
  /// The fault that needs an action.
  var fault: String?

  init(file: String, line: Int, fault: String) { (self.file, self.line, self.fault) = (file, line, fault) }

  init(_ text: String, file: String, line: Int, _ session: Session) async {
    (self.file, self.line) = (file, line)
    do {
      let reference = try SecretReference(parsing: text)
      self.reference = reference
      let field = try await session.locked.field(of: reference)
      self.field = field
      if field.isMislabelled { fault = "the record is now called \"\(field.record.name)\"" }
    } catch let error as ReferenceFault {
      fault = error.reason
    } catch {
      fault = CommandError(any: error).reason
    }
  }
}

struct ReferenceReport {
  let findings: [ReferenceFinding]
  let fileCount: Int

  func print(_ session: Session) throws {
    guard !session.global.json else {
      return try Output.document(["references": findings.map(document), "verified": false])
    }
    if !findings.isEmpty {
      try Table(findings, columns(session.global.style), width: nil).print(session.global.style)
    }
    let faults = findings.count { $0.fault != nil }
    let good = findings.count - faults
    session.messages.note(
      "\(good) \(good == 1 ? "is" : "are") good, \(faults) \(faults == 1 ? "needs" : "need") action, "
        + "in \(counted(fileCount, "file")); not verified")
  }

  private func columns(_ style: Style) -> [TableColumn<ReferenceFinding>] {
    [
      TableColumn(title: "PLACE", rank: 0) { "\($0.file):\($0.line)" },
      TableColumn(title: "STATE", rank: 1, look: { $0 == "ok" ? style.good($0) : style.bad($0) }) {
        $0.fault == nil ? "ok" : "fault"
      },
      TableColumn(title: "REFERENCE", rank: 2) { $0.reference.map { "\($0)" } ?? "-" },
      TableColumn(title: "MEANS", rank: 3) { finding in
        if let fault = finding.fault { return fault }
        guard let field = finding.field else { return "" }
        return [
          "\(field.record.name) (\(field.record.envelope.kind))",
          field.sealedAt.map { "sealed \($0.day)" } ?? "readable",
        ].joined(separator: ", ")
      },
    ]
  }

  private func document(_ finding: ReferenceFinding) -> JSONValue {
    .members([
      "file": finding.file, "line": finding.line, "reference": finding.reference.map { "\($0)" },
      "id": finding.field?.record.id, "kind": finding.field?.record.envelope.kind,
      "sealed_at": finding.field?.sealedAt, "fault": finding.fault,
    ])
  }
}
