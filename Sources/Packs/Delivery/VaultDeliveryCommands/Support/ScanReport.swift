import VaultCLI
import VaultDocument
import VaultSealing
import VaultTerminal

struct ScanReport {
  let scan: Scan
  let shortCount: Int
  let shortLineCount: Int

  func print(_ session: Session) throws {
    let findings = scan.findings
    if session.global.json {
      try Output.document([
        "files": scan.fileCount, "findings": findings.map(document),
        "unread": scan.faults.map(\.subject),
      ])
    } else if !findings.isEmpty {
      try Table(findings, columns, width: nil).print(session.global.style)
    }
    for fault in scan.faults { session.messages.report(fault) }
    if shortCount > 0 {
      let values = shortCount == 1 ? "1 value is" : "\(shortCount) values are"
      session.messages.note("\(values) too short to be found")
    }
    if shortLineCount > 0 {
      let lines = shortLineCount == 1 ? "1 short line of a value is" : "\(shortLineCount) short lines of values are"
      session.messages.note("\(lines) not searched for alone")
    }
    session.messages.note("\(findings.count) found in \(counted(scan.fileCount, "file"))")
    if !findings.isEmpty { throw Finished(status: .findings) }
    if !scan.faults.isEmpty { throw Finished(status: .partlyDone) }
  }

  private var columns: [TableColumn<Scan.Finding>] {
    [
      TableColumn(title: "PLACE", rank: 0) { finding in
        [finding.commit.map { String($0.prefix(12)) }, finding.place, "\(finding.line)"].compactMap(\.self)
          .joined(separator: ":")
      }
    ] + VaultValues.Origin.columns(\.origin)
  }

  private func document(_ finding: Scan.Finding) -> JSONValue {
    .members(["commit": finding.commit, "file": finding.place, "line": finding.line, "value": finding.origin])
  }
}

/// Whether a text equals, contains, or is part of values of a vault.
struct ValueReport {
  let matches: [(relation: String, origin: VaultValues.Origin)]
  let valueCount: Int

  func print(_ session: Session) throws {
    if session.global.json {
      try Output.document([
        "values": matches.map { JSONValue.members(["relation": $0.relation, "value": $0.origin.document]) }
      ])
    } else if matches.isEmpty {
      session.messages.note("it matches none of the \(counted(valueCount, "sealed value")) of this vault")
    } else {
      let columns = [TableColumn<(relation: String, origin: VaultValues.Origin)>(title: "IT", rank: 0) { $0.relation }]
      try Table(matches, columns + VaultValues.Origin.columns(\.origin), width: nil).print(session.global.style)
    }
    if !matches.isEmpty { throw Finished(status: .findings) }
  }
}

extension VaultValues.Origin: DocumentValue {
  fileprivate static func columns<Row>(_ origin: @escaping (Row) -> VaultValues.Origin) -> [TableColumn<Row>] {
    [
      TableColumn(title: "RECORD", rank: 1) { origin($0).name + (origin($0).isTrashed ? " (in the trash)" : "") },
      TableColumn(title: "FIELD", rank: 2) { "\(origin($0).path)" + (origin($0).isFormer ? " (former)" : "") },
      TableColumn(title: "ID", rank: 3) { origin($0).id.text },
    ]
  }

  var document: JSONValue {
    .members(["field": path.description, "former": isFormer, "id": id, "name": name, "trashed": isTrashed])
  }
}
