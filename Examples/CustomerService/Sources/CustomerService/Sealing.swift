import Foundation
import Hummingbird
import VaultCrypto
import VaultSealing

/// Seals what responses hold. A response is encoded after its handler has returned, so the context is set around both.
struct SealedResponses<Context: RequestContext>: RouterMiddleware {
  let sealing: SealingContext

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    try await SealingContext.$current.withValue(sealing) { try await next(request, context) }
  }
}

/// An access key as a token, which the partner's key opens.
struct CustomerAccessKey: ResponseEncodable {
  let accessKey: EncryptedCodableString
}

/// The context in which access keys leave the service: under the 32 bytes of a file, or under a key of this run.
func partnerContext(_ file: String?) throws -> SealingContext {
  let key = try file.map { try SecretBytes(copying: Array(Data(contentsOf: URL(filePath: $0))).span.bytes) }
  return try SealingContext(applicationKey: key ?? SecretBytes.random(count: 32), bound: ["access-keys"])
}
