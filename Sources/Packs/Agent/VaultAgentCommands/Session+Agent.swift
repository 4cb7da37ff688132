import VaultAgent
import VaultCLI
import VaultCare
import VaultDocument
import VaultKit
import VaultSystem
package import VaultTerminal

extension AgentPlace {
  /// The folder of the agents' sockets. Nil without a runtime folder.
  static var ofUser: AgentPlace? { StateLocation.runtimeFolder.map { AgentPlace($0) } }

  static func required() throws -> AgentPlace { AgentPlace(try StateLocation.requiredRuntimeFolder()) }
}

extension KeyHolder {
  /// The agents of this user.
  static let agent = KeyHolder(
    unlock: { try $0.vaultByAgent() },
    remainingTime: { vault in
      guard let place = AgentPlace.ofUser, let agent = try? AgentClient(of: vault, in: place),
        let status = try? agent.status()
      else { return nil }
      return status["seconds"]?.int.map { .seconds($0) }
    })
}

extension Session {
  /// Unlocks with the agent that holds the key of the vault; nil if there is no agent, or if it refuses this user.
  fileprivate func vaultByAgent() throws -> Vault? {
    guard System.variable("CVAULT_NO_AGENT") == nil, let place = AgentPlace.ofUser else { return nil }
    let options = try vaultOptions()
    do {
      let messages = messages
      let client = try AgentClient(of: locked.header.vaultID, in: place, for: CodingAgent.current?.name) {
        messages.note("the agent is waiting for an answer at its terminal")
      }
      guard let client else {
        let socket = place.socket(of: locked.header.vaultID)
        if System.isThere(socket) { messages.detail("no agent listens at \(socket)") }
        return nil
      }
      guard locked.header.unfinishedRotation == nil else {
        messages.detail("the agent is not used: the keys are being changed")
        return nil
      }
      let slot = try client.slot(headerHash: locked.header.hash())
      messages.detail("key: agent")
      return try locked.unlock(heldBy: client, slot: slot, options: options)
    } catch let error as AgentError where error.code == .silent {
      messages.note("the agent does not answer and is ignored; `vault lock` ends it")
      return nil
    } catch let error as AgentError where error.code != .foreign {
      messages.detail("the agent is not used: \(error.reason)")
      return nil
    } catch let error as VaultError where error.code == .noKey || error.code == .noSuchSlot {
      messages.detail("the agent is not used: \(error.reason)")
      return nil
    }
  }
}

extension AgentError: CommandErrorConvertible {
  package var commandError: CommandError {
    switch code {
    case .foreign: CommandError(PrivateFolderError(.foreign, reason))
    case .memory: CommandError(.failed, "memory_unavailable", subject: "agent", reason)
    default: CommandError(.inputOutput, "agent_failed", subject: "agent", reason)
    }
  }
}
