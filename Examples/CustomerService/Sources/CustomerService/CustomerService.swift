import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import UnixSignals
import VaultAge
import VaultDocument
import VaultCare
import VaultKit
import VaultRecords
import VaultSealing

/// A service that keeps its customers in a vault.
///
/// Several of them may run beside each other, and beside the command `vault`: the vault lies in a database, whose lock
/// orders the writers, and no change is lost. Each keeps the vault open, and its store as many connections as it has
/// handlers at work at a time.
///
///     CVAULT_DIR='postgresql://app@db.example/app?vault=customers' CVAULT_IDENTITY_FILE=identity.txt CustomerService
///     curl -X POST localhost:8080/customers -d '{"name": "Ada Example", "accessKey": "k-1"}'
///     curl localhost:8080/customers
@main
struct CustomerService {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    guard let place = environment["CVAULT_DIR"], let file = environment["CVAULT_IDENTITY_FILE"] else {
      throw Misconfiguration(what: "CVAULT_DIR and CVAULT_IDENTITY_FILE say where the vault is, and what opens it")
    }
    var options = Vault.Options()
    // A request does not wait long for others; its client asks again.
    options.lockTimeout = .seconds(5)
    options.state = environment["CVAULT_STATE_DIR"].map { KnownVaults(directory: $0) }
    let identities = try AgeIdentityFile.read(at: file)
    let vault = try await Vault.open(at: place, unlockingWith: .identities(identities), options: options)
    let port = environment["PORT"].flatMap { Int($0) } ?? 8080
    let application = Application(
      router: router(CustomerHandlers(vault: vault), try partnerContext(environment["PARTNER_KEY_FILE"])),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)))
    // On SIGTERM and SIGINT they end in reverse order: first the application, when the requests under way are answered.
    let services = ServiceGroup(
      services: [HourlyCheck(vault: vault, logger: application.logger), application],
      gracefulShutdownSignals: [.sigterm, .sigint], logger: application.logger)
    try await services.run()
  }

  private static func router(
    _ handlers: CustomerHandlers, _ sealing: SealingContext
  ) -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: VaultErrors())
    router.add(middleware: SealedResponses(sealing: sealing))
    router.get("health") { _, _ in HTTPResponse.Status.ok }
    router.get("customers") { _, _ in try await inTime { try await handlers.list() } }
    router.get("customers/:id") { _, context in
      let id = try id(context)
      return try await inTime { try await handlers.show(id) }
    }
    router.get("customers/:id/access-key") { _, context in
      let id = try id(context)
      return try await inTime { try await handlers.accessKey(id) }
    }
    router.post("customers") { request, context in
      let input = try await request.decode(as: CustomerInput.self, context: context)
      return EditedResponse(status: .created, response: try await inTime { try await handlers.add(input) })
    }
    router.patch("customers/:id") { request, context in
      let (id, change) = (try id(context), try await request.decode(as: CustomerChange.self, context: context))
      return try await inTime { try await handlers.change(id, by: change) }
    }
    router.delete("customers/:id") { _, context in
      let id = try id(context)
      try await inTime { try await handlers.remove(id) }
      return HTTPResponse.Status.noContent
    }
    return router
  }

  private static func id(_ context: BasicRequestContext) throws -> RecordID {
    guard let id = RecordID(parsing: try context.parameters.require("id")) else { throw HTTPError(.notFound) }
    return id
  }
}

struct Misconfiguration: Error { let what: String }

/// Verifies the vault while the service runs, all of it once an hour, and logs its faults.
///
/// Nobody writes while a part is verified, so it takes a sixtieth each minute. A check in progress is cancelled at the
/// end.
struct HourlyCheck: Service {
  let vault: Vault
  let logger: Logger
  var interval: Duration = .seconds(60)

  func run() async throws {
    do {
      try await cancelWhenGracefulShutdown {
        while true {
          for number in 1...60 {
            try await Task.sleep(for: interval)
            try await check(VerificationScope(part: .init(number, of: 60)))
          }
        }
      }
    } catch is CancellationError {}
  }

  /// A database that is away, or a vault that is damaged, is news and no reason to stop answering.
  private func check(_ scope: VerificationScope) async throws {
    do {
      let found = try await vault.verify(scope)
      for fault in found.faults { logger.error("damaged", metadata: ["fault": "\(fault)"]) }
      logger.debug("verified", metadata: ["records": "\(found.recordCount)", "faults": "\(found.faults.count)"])
    } catch {
      if error.code == .cancelled { throw CancellationError() }
      logger.error("not verified", metadata: ["reason": "\(error.reason)"])
    }
  }
}

/// The operations on customers for every kind of request.
struct CustomerHandlers {
  let vault: Vault

  /// Readable fields only: no key is used for them.
  func list() async throws -> [CustomerRow] {
    var query = RecordQuery()
    query.kind = Customer.kindName
    return try await vault.locked.list(query).map { CustomerRow(id: $0.id.text, name: $0.name) }
  }

  func show(_ id: RecordID) async throws -> CustomerView {
    try await CustomerView(id, vault.record(id, as: Customer.self).value)
  }

  func accessKey(_ id: RecordID) async throws -> CustomerAccessKey {
    CustomerAccessKey(accessKey: try await vault.record(id, as: Customer.self).value.accessKey)
  }

  func add(_ input: CustomerInput) async throws -> CustomerRow {
    let customer = Customer(
      name: input.name, accessKey: EncryptedCodableString(input.accessKey), addedOn: .now, city: input.city,
      email: input.email)
    return CustomerRow(id: try await vault.add(customer).text, name: input.name)
  }

  /// Read and written under one lock: two who change different fields lose neither change.
  func change(_ id: RecordID, by change: CustomerChange) async throws -> CustomerView {
    try await vault.update(id, as: Customer.self) { customer in
      if let name = change.name { customer.name = name }
      if let city = change.city { customer.city = city }
      if let email = change.email { customer.email = email }
      if let key = change.accessKey { customer.accessKey = EncryptedCodableString(key) }
    }
    return try await show(id)
  }

  func remove(_ id: RecordID) async throws { try await vault.remove([id]) }
}

struct CustomerInput: Decodable {
  let name: String
  let accessKey: String
  let city: String?
  let email: String?
}

struct CustomerChange: Decodable {
  let name: String?
  let accessKey: String?
  let city: String?
  let email: String?
}

struct CustomerRow: ResponseEncodable {
  let id: String
  let name: String
}

/// A customer in the service's answers: the key itself is only for people who may open the vault.
struct CustomerView: ResponseEncodable {
  let id: String
  let name: String
  let city: String?
  let email: String?
  let hasATMCode: Bool

  init(_ id: RecordID, _ customer: Customer) {
    (self.id, name, city, email) = (id.text, customer.name, customer.city, customer.email)
    hasATMCode = customer.atmCode != nil
  }
}

/// Errors of the vault in the words of HTTP. None of them holds a value.
struct VaultErrors<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as VaultError {
      throw HTTPError(status(error.code), message: error.reason)
    }
  }

  private func status(_ code: VaultError.Code) -> HTTPResponse.Status {
    switch code {
    case .noSuchRecord: .notFound
    case .inputRefused, .unknownKind: .unprocessableContent
    case .changedUnderneath: .conflict
    case .lockedByOther, .cancelled, .ioFailed: .serviceUnavailable
    default: .internalServerError
    }
  }
}

/// Cancels slow work: a task that waits for the vault's lock stops waiting, and a write in progress is finished.
private func inTime<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) async throws -> Result {
  try await withThrowingTaskGroup(of: Result.self) { group in
    defer { group.cancelAll() }
    group.addTask(operation: work)
    group.addTask {
      try await Task.sleep(for: .seconds(10))
      throw HTTPError(.serviceUnavailable, message: "took too long; nothing was changed")
    }
    guard let result = try await group.next() else { throw HTTPError(.internalServerError) }
    return result
  }
}
