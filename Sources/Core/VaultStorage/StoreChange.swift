/// One replacement in a store, made only if the present bytes are the expected ones.
public struct StoreChange: Sendable {
  /// The place that changes.
  public let location: StoreLocation
  /// The exact bytes that must be there now; nil if there must be no document.
  public let expected: [UInt8]?
  /// The bytes to put there; nil removes the document.
  public let replacement: [UInt8]?

  /// Replaces `expected` by `replacement` at `location`.
  ///
  /// If both are equal, nothing is written: such a change is a guard, which makes `apply` fail if the place changed.
  public init(_ location: StoreLocation, from expected: [UInt8]?, to replacement: [UInt8]?) {
    self.location = location
    self.expected = expected
    self.replacement = replacement
  }

  /// Creates a document at an empty place.
  public static func put(_ location: StoreLocation, _ bytes: [UInt8]) -> StoreChange {
    StoreChange(location, from: nil, to: bytes)
  }

  /// Whether the change only compares.
  public var isGuard: Bool { expected == replacement }

  package var makesOrRemovesFile: Bool { (expected == nil) != (replacement == nil) }
}

/// How a set of changes is carried out. Every store sorts changes by this one rule.
///
/// The cases are those of format 1, section 10, Writing, and stay these four.
public enum ChangePlan: Sendable {
  /// Nothing is written; only the guards are compared.
  case nothing
  /// One place changes.
  case single(StoreChange)
  /// The header changes together with slots: new slots, then the header (the commit point), then removed slots.
  case header(newSlots: [StoreChange], header: StoreChange, removedSlots: [StoreChange])
  /// Several records or trashed records change, all or none.
  case batch([StoreChange])
}

extension ChangePlan {
  /// The most changes of one `apply`; more throw `.tooLarge`. It limits the journal, and with it the memory for
  /// recovery.
  public static let maximumChangeCount = 100_000

  /// Sorts `changes` into the way they are carried out.
  ///
  /// - Precondition: no place is named twice, and several writes are either to records and trash alone, or to the
  ///   header with slots that are new or removed. Other mixes have no atomic protocol in format 1, so they are a
  ///   mistake of our code.
  /// - Throws: `StoreError` `.tooLarge`, if there are too many changes or a document exceeds its place's limit.
  public init(_ changes: [StoreChange]) throws(StoreError) {
    guard changes.count <= Self.maximumChangeCount else { throw .tooManyChanges }
    precondition(Set(changes.map(\.location)).count == changes.count, "a place is named twice in one set of changes")
    let writes = changes.filter { !$0.isGuard }
    for change in writes { try change.requireSize() }
    switch writes.count {
    case 0: self = .nothing
    case 1: self = .single(writes[0])
    default: self = Self.several(writes)
    }
  }

  private static func several(_ writes: [StoreChange]) -> ChangePlan {
    guard let header = writes.first(where: { $0.location == .header }) else {
      precondition(writes.allSatisfy(\.location.isRecordOrTrash), "only records and trash change together")
      return .batch(writes)
    }
    let slots = writes.filter { $0.location != .header }
    precondition(header.replacement != nil, "the header is never removed together with slots")
    precondition(slots.allSatisfy(\.isNewOrRemovedSlot), "with the header, only new and removed slots change")
    return .header(
      newSlots: slots.filter { $0.replacement != nil }, header: header,
      removedSlots: slots.filter { $0.replacement == nil })
  }
}

/// The places of a batch that is staged piece by piece, under the same rules as changes that come at once.
package struct BatchPlan: Sendable {
  private var places: Set<StoreLocation> = []

  package init() {}

  /// Adds changes to the batch and returns those that write.
  ///
  /// - Precondition: like `StoreBatch.stage`.
  package mutating func writes(of changes: [StoreChange]) throws(StoreError) -> [StoreChange] {
    guard places.count + changes.count <= ChangePlan.maximumChangeCount else { throw .tooManyChanges }
    for change in changes {
      precondition(places.insert(change.location).inserted, "a place is named twice in one batch")
      precondition(change.isGuard || change.location.isRecordOrTrash, "only records and trash change in a batch")
      try change.requireSize()
    }
    return changes.filter { !$0.isGuard }
  }
}

extension StoreError {
  fileprivate static let tooManyChanges = StoreError(.tooLarge, reason: "there are too many changes for one batch")
}

extension StoreChange {
  /// Refuses a document that exceeds the limit of its place.
  ///
  /// - Throws: `StoreError` `.tooLarge`.
  public func requireSize() throws(StoreError) {
    guard !isGuard, let replacement, replacement.count > location.byteLimit else { return }
    throw StoreError(.tooLarge, reason: "the document is over its size limit", path: location.relativePath)
  }
}

extension StoreLocation {
  fileprivate var isRecordOrTrash: Bool {
    switch self {
    case .record, .trash: true
    case .header, .checkpoint, .slot, .attachment, .inbox: false
    }
  }
}

extension StoreChange {
  fileprivate var isNewOrRemovedSlot: Bool {
    guard case .slot = location else { return false }
    return expected == nil || replacement == nil
  }
}
