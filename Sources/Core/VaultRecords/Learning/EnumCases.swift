/// The cases of an enum, even if it is not `CaseIterable`.
///
/// Swift keeps a type's layout in its metadata, which is part of Swift's ABI (docs/ABI/TypeMetadata.rst in the sources
/// of Swift): the kind of the type, then its descriptor, which for an enum has the numbers of its cases.
enum EnumCases {
  /// The cases of an enum without associated values, in declaration order; empty for any other type.
  static func all<Cases>(of type: Cases.Type) -> [Cases] {
    guard let count = counts(of: type), count.withValues == 0, count.plain <= 256 else { return [] }
    switch MemoryLayout<Cases>.size {
    // A single case takes no memory.
    case 0: return count.plain == 1 ? [unsafe unsafeBitCast((), to: Cases.self)] : []
    // Cases without values are the numbers from 0, and each number below the count is a case.
    case 1 where count.plain > 1:
      return (0..<count.plain).map { unsafe unsafeBitCast(UInt8($0), to: Cases.self) }
    default: return []
    }
  }

  /// The number of cases of an enum, with and without values; nil for any other type.
  static func count(of type: Any.Type) -> Int? { counts(of: type).map { $0.withValues + $0.plain } }

  private static let enumMetadata: UInt = 0x201
  private static let enumDescriptor: UInt32 = 18

  /// Nil for a type that is not an enum, and for an optional.
  private static func counts(of type: Any.Type) -> (withValues: Int, plain: Int)? {
    // Safe: a type is the address of its metadata. Every type has the first word, and an enum the second.
    let metadata = unsafe unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    guard unsafe metadata[0] == enumMetadata, let descriptor = unsafe UnsafeRawPointer(bitPattern: metadata[1]) else {
      return nil
    }
    // Safe: the descriptor of an enum has seven words of 32 bits: the flags first, the numbers of cases last.
    guard unsafe descriptor.load(as: UInt32.self) & 0x1F == enumDescriptor else { return nil }
    let withValues = unsafe descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
    let plain = unsafe descriptor.load(fromByteOffset: 24, as: UInt32.self)
    return (Int(withValues), Int(plain))
  }
}
