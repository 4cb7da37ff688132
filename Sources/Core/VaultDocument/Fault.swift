/// Why something failed: a code of its layer, one sentence, and the place.
///
/// Six layers have a name of their own for it: a `StoreError` is a `Fault<StoreLayer>`. Two faults of a layer are equal
/// if their codes are. No fault holds a key, a value, or the text of a document.
public struct Fault<Layer: FaultLayer>: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of failure. New codes may be added in later versions.
  public typealias Code = FaultCode<Layer>

  /// The kind of failure, for programs.
  public let code: Code
  /// The failure, for people: a fixed sentence.
  public let reason: String
  /// The subject: a file below the vault's directory, or the path of a member. Nil if there is no single subject.
  public let path: String?
  /// Line of the input, from 1, if a text was parsed.
  public let line: Int?
  /// Column in that line, in Unicode scalars, from 1.
  public let column: Int?
  /// The system's error number, if a system call failed.
  public let errno: Int32?
  /// The process that holds a lock, if that is known.
  public let holder: Int32?
  /// The cause: an error of the layer below, or of a closure of the caller.
  public let underlying: (any Error)?

  package init(
    layer code: Code, _ reason: String, path: String? = nil, line: Int? = nil, column: Int? = nil,
    errno: Int32? = nil, holder: Int32? = nil, underlying: (any Error)? = nil
  ) {
    (self.code, self.reason, self.path, self.line, self.column) = (code, reason, path, line, column)
    (self.errno, self.holder, self.underlying) = (errno, holder, underlying)
  }

  /// One line.
  public var description: String { Layer.description(of: self) }

  /// Compares the codes alone.
  public static func == (left: Fault, right: Fault) -> Bool { left.code == right.code }
}

/// A layer whose faults have codes of their own.
public protocol FaultLayer: Sendable {
  /// The one line that describes a fault of this layer.
  static func description(of fault: Fault<Self>) -> String
}

extension FaultLayer {
  /// Place and reason.
  public static func description(of fault: Fault<Self>) -> String {
    Sentence.about(fault.path, fault.reason)
  }
}

/// A kind of failure, for programs: match against the constants, with a default case.
public struct FaultCode<Owner>: Hashable, Sendable, CustomStringConvertible {
  /// The code's name.
  public let description: String

  /// - Parameter name: by default the name of the property.
  package init(_ name: String = #function) { description = name }
}

/// Why a small text was refused, or why something cannot be used. The reason is a phrase that follows the name of its
/// subject. The line is known if a text has several lines.
public struct TextFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name of the text; nil if the caller knows it.
  public let name: String?
  /// From 1; nil if no line is to blame.
  public let line: Int?
  /// A fixed phrase, without any of the text.
  public let reason: String
  /// Name and phrase.
  public var description: String { Sentence.about(name, reason) }

  package init(name: String? = nil, line: Int? = nil, _ reason: String) {
    (self.name, self.line, self.reason) = (name, line, reason)
  }
}
