package import VaultAgent
import VaultCare
import VaultDocument
package import VaultKit
import VaultTerminal

/// Where the sockets of agents are.
package enum AgentLocation {
  /// The user's folder for what lasts as long as a login, else one where the state is; nil without either.
  package static var place: AgentPlace? {
    if let runtime = System.environment("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") {
      return AgentPlace(folder: runtime + "/cvault")
    }
    return StateLocation.path.map { AgentPlace(folder: $0 + "/run") }
  }

  package static func requiredPlace() throws -> AgentPlace {
    guard let place else {
      throw CommandError(
        .inputOutput, "io_failed", subject: "agent", "there is no folder for its socket",
        hints: ["name one with XDG_RUNTIME_DIR"])
    }
    return place
  }
}

extension Session {
  /// Unlocks by the agent that holds the key of the vault; nil where there is none, or it does not work for us.
  package func vaultByAgent() async throws -> Vault? {
    guard System.variable("CVAULT_NO_AGENT") == nil, let place = AgentLocation.place else { return nil }
    let options = try vaultOptions()
    do {
      let messages = messages
      let client = try AgentClient(of: locked.header.vaultID, in: place) {
        messages.note("the agent asks at its terminal")
      }
      guard let client else {
        let socket = place.socket(of: locked.header.vaultID)
        if System.isThere(socket) { messages.detail("no agent listens at \(socket)") }
        return nil
      }
      guard locked.header.unfinishedRotation == nil else {
        messages.detail("not by the agent: the keys are being changed")
        return nil
      }
      let slot = try client.slot(headerHash: locked.header.hash())
      messages.detail("key: agent")
      return try locked.unlock(heldBy: client, slot: slot, options: options)
    } catch let error as AgentError where error.code == .silent {
      messages.note("the agent does not answer, and is not asked; `vault lock` ends it")
      return nil
    } catch let error as AgentError where error.code != .foreign {
      messages.detail("not by the agent: \(error.reason)")
      return nil
    } catch let error as VaultError where error.code == .noKey || error.code == .noSuchSlot {
      messages.detail("not by the agent: \(error.reason)")
      return nil
    }
  }
}
