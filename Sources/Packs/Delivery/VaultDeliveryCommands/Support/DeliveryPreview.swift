import VaultCLI
import VaultDocument
import VaultKit
import VaultTerminal

/// The values for a program, without a key: the name and sealing time of each, and its faults.
struct DeliveryPreview {
  private struct Row {
    let delivery: Delivery
    let field: Result<ReferencedField, CommandError>?
  }

  private let plan: DeliveryPlan
  private let session: Session

  init(_ plan: DeliveryPlan, _ session: Session) { (self.plan, self.session) = (plan, session) }

  func print() async throws {
    var rows: [Row] = []
    for delivery in plan.deliveries {
      guard let reference = delivery.reference else {
        rows.append(Row(delivery: delivery, field: nil))
        continue
      }
      do {
        rows.append(Row(delivery: delivery, field: .success(try await session.field(of: reference))))
      } catch {
        rows.append(Row(delivery: delivery, field: .failure(CommandError(any: error))))
      }
    }
    let faults = rows.compactMap { row in if case .failure(let error)? = row.field { error } else { nil } }
    if session.global.json {
      try Output.document(["deliveries": rows.map(document), "verified": false])
    } else {
      try Table(rows, columns, width: nil).print(session.global.style)
    }
    for fault in faults { session.messages.report(fault) }
    if !faults.isEmpty { throw Finished(status: .findings) }
  }

  private var columns: [TableColumn<Row>] {
    [
      TableColumn(title: "NAME", rank: 0) { $0.delivery.name.isEmpty ? "-" : $0.delivery.name },
      TableColumn(title: "FORM", rank: 1) { $0.delivery.form.rawValue },
      TableColumn(title: "RECORD", rank: 2) { (try? $0.field?.get())?.record.name ?? "-" },
      TableColumn(title: "FIELD", rank: 3) { row in
        guard let reference = row.delivery.reference else { return "-" }
        return [reference.path?.description, reference.view?.rawValue].compactMap(\.self).joined(separator: " ")
      },
      TableColumn(title: "STATE", rank: 4) { row in
        switch row.field {
        case nil: "text"
        case .failure?: "fault"
        case .success(let field)?:
          field.sealedAt.map { "sealed \($0.day)" } ?? (field.path == nil ? "address" : "readable")
        }
      },
      TableColumn(title: "SOURCE", rank: 5) { $0.delivery.source },
    ]
  }

  private func document(_ row: Row) -> JSONValue {
    let field = try? row.field?.get()
    return .members([
      "name": row.delivery.name, "form": row.delivery.form.rawValue, "source": row.delivery.source,
      "reference": row.delivery.reference.map { "\($0)" }, "id": field?.record.id, "record": field?.record.name,
      "sealed_at": field?.sealedAt,
      "fault": (row.field.flatMap { if case .failure(let error) = $0 { error.reason } else { nil } }),
    ])
  }
}
