import VaultSystem
import VaultTerminal

package enum KeyLabel {
  /// `ada@laptop`, or `ada@laptop 2` if that is taken; empty if neither user nor machine has a name.
  package static func usual(besides taken: [String]) -> String {
    let host = ProcessEnvironment.hostName.prefix { $0 != "." }
    let label = Printable.text("\(System.userName)@\(host)")
    guard label.utf8.count > 2, !label.hasPrefix("@"), !label.hasSuffix("@"), label.utf8.count <= 200 else { return "" }
    guard taken.contains(label) else { return label }
    return (2...).lazy.map { "\(label) \($0)" }.first { !taken.contains($0) } ?? ""
  }
}
