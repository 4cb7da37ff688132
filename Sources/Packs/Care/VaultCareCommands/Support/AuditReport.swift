import VaultCLI
import VaultDocument
import VaultTerminal

struct AuditReport {
  let audit: Audit
  let table: TableOptions

  func print(_ session: Session) throws {
    let findings = audit.findings
    if session.global.json {
      try Output.document(["findings": findings.map(document), "records": audit.recordCount])
    } else if table.isShown(session.global) {
      try table.print(findings, columns: columns(session.global.style), global: session.global)
    } else if !findings.isEmpty {
      try Table(findings, columns(session.global.style), width: nil).print(session.global.style)
    }
    let records = counted(audit.recordCount, "record")
    session.messages.note(
      findings.isEmpty ? "nothing was found in \(records)" : "\(findings.count) found in \(records)")
    if !findings.isEmpty { throw Finished(status: .findings) }
  }

  private func columns(_ style: Style) -> [TableColumn<Audit.Finding>] {
    [
      TableColumn(title: "STATE", rank: 0, look: style.bad) { $0.state.rawValue },
      TableColumn(title: "NAME", rank: 1, least: 16) { $0.name },
      TableColumn(title: "FIELD", rank: 2, least: 10) { $0.path.description },
      TableColumn(title: "WHY", rank: 3) { $0.reason },
      TableColumn(title: "ID", rank: 4, look: style.dim) { Output.isTerminal ? table.shown($0.id) : $0.id.text },
    ]
  }

  private func document(_ finding: Audit.Finding) -> JSONValue {
    .members([
      "field": finding.path.description, "group": finding.group, "id": finding.id, "kind": finding.kind,
      "name": finding.name, "reason": finding.reason, "state": finding.state.rawValue,
    ])
  }
}
