package import VaultDocument
package import VaultTerminal

/// One line of `doctor`: the subject, its state, and what to do about it.
package struct DoctorCheck: DocumentValue {
  package enum State: String {
    case good = "ok"
    /// It works, and should be better.
    case warning = "warn"
    /// It does not work, or is not safe.
    case fault
  }

  package let name: String
  package let state: State
  package let text: String
  package var advice: String?

  package init(name: String, state: State, text: String, advice: String? = nil) {
    (self.name, self.state, self.text, self.advice) = (name, state, text, advice)
  }

  package static func good(_ name: String, _ text: String) -> DoctorCheck {
    DoctorCheck(name: name, state: .good, text: text)
  }

  package static func warning(_ name: String, _ text: String, advice: String? = nil) -> DoctorCheck {
    DoctorCheck(name: name, state: .warning, text: text, advice: advice)
  }

  package static func fault(_ name: String, _ text: String, advice: String) -> DoctorCheck {
    DoctorCheck(name: name, state: .fault, text: text, advice: advice)
  }

  package func line(_ style: Style) -> String {
    let look =
      switch state {
      case .good: style.good
      case .warning: style.doubtful
      case .fault: style.bad
      }
    return Style.column(state.rawValue, look)
      + Printable.text("\(name): \(text)" + (advice.map { "; \($0)" } ?? ""))
  }

  package var document: JSONValue {
    .members(["advice": advice, "name": name, "state": state.rawValue, "text": text])
  }
}
