import DynamicLibraries

/// The message buses of the system and of this user's session (D-Bus), which report when a key must be dropped.
///
/// A system library provides access to them, and is loaded late. Without the library or a bus, nothing is reported.
final class MessageBuses {
  private var buses: [MessageBus]

  init() {
    guard let library = BusLibrary() else {
      buses = []
      return
    }
    buses = unsafe [
      MessageBus(
        library, name: "system", open: library.openSystem,
        signals: [
          // Rules protect names on the system bus, so no other user can send this.
          BusSignal(
            "org.freedesktop.login1.Manager", "PrepareForSleep", from: "org.freedesktop.login1", isSwitch: true),
          BusSignal("org.freedesktop.login1.Session", "Lock", from: "org.freedesktop.login1", isSwitch: false),
        ]),
      MessageBus(
        library, name: "session", open: library.openUser,
        signals: [
          "org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver", "org.mate.ScreenSaver", "org.cinnamon.ScreenSaver",
          "org.xfce.ScreenSaver",
        ].map { BusSignal($0, "ActiveChanged", from: nil, isSwitch: true) }),
    ].compactMap { $0 }
  }

  /// The buses that have answered, and so will report.
  var heard: [String] { buses.filter(\.isHeard).map(\.name) }
  /// The descriptors that become readable with a report.
  var files: [Int32] { buses.map(\.file) }

  /// Whether the machine goes to sleep, the session or its screen is locked, or a bus is gone.
  func tellsToLock() -> Bool {
    // All buses must be read.
    buses.map { $0.tellsToLock() }.contains(true)
  }
}

private struct BusSignal {
  let interface: String
  let member: String
  /// The required sender; nil for any sender on the bus.
  let sender: String?
  /// Whether the signal has a flag, and counts only if the flag is true.
  let isSwitch: Bool

  init(_ interface: String, _ member: String, from sender: String?, isSwitch: Bool) {
    (self.interface, self.member, self.sender, self.isSwitch) = (interface, member, sender, isSwitch)
  }

  var rule: String {
    "type='signal',interface='\(interface)',member='\(member)'" + (sender.map { ",sender='\($0)'" } ?? "")
  }
}

/// A connection to one bus.
///
/// Safe: the pointer is the library's own, only this object uses it, and it is released with the object.
@safe private final class MessageBus {
  let name: String
  let file: Int32
  private let library: BusLibrary
  private let bus: OpaquePointer
  private let signals: [BusSignal]
  /// Whether the bus was ever ready. A bus that never was counts as missing.
  private var wasReady = false
  private var isGone = false
  var isHeard: Bool { wasReady && !isGone }

  /// Nil if there is no such bus.
  init?(_ library: BusLibrary, name: String, open: BusLibrary.Open, signals: [BusSignal]) {
    var opened: OpaquePointer?
    guard unsafe open(&opened) >= 0, let bus = unsafe opened else { return nil }
    unsafe self.bus = bus
    (self.library, self.name, self.signals) = (library, name, signals)
    file = unsafe library.file(bus)
    // The answer is not awaited, because no bus may keep an agent from serving.
    let areAsked = signals.allSatisfy { signal in
      unsafe library.addMatch(bus, nil, signal.rule, { _, _, _ in 0 }, nil, nil) >= 0
    }
    if file < 0 || !areAsked { return nil }
  }

  deinit { _ = unsafe library.close(bus) }

  func tellsToLock() -> Bool {
    guard !isGone else { return false }
    var hasTold = false
    while true {
      var message: OpaquePointer?
      let result = unsafe library.process(bus, &message)
      if let message = unsafe message {
        hasTold = unsafe hasTold || tells(message)
        _ = unsafe library.release(message)
      }
      wasReady = unsafe wasReady || library.isReady(bus) > 0
      if result < 0 {
        isGone = true
        return hasTold || wasReady
      }
      if result == 0 { return hasTold }
    }
  }

  private func tells(_ message: OpaquePointer) -> Bool {
    signals.contains { signal in
      guard unsafe library.isSignal(message, signal.interface, signal.member) > 0 else { return false }
      var isOn: Int32 = 0
      return unsafe !signal.isSwitch || library.read(message, CChar(UInt8(ascii: "b")), &isOn) > 0 && isOn != 0
    }
  }
}

/// The used functions of sd-bus, as in sd-bus.h since systemd 237.
///
/// Safe to hold: calling a function is unsafe, and marked so.
@safe private struct BusLibrary {
  typealias Open = @convention(c) (UnsafeMutablePointer<OpaquePointer?>) -> Int32
  typealias Handler = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int32
  typealias Match =
    @convention(c) (
      OpaquePointer, UnsafeMutableRawPointer?, UnsafePointer<CChar>, Handler, Handler?, UnsafeMutableRawPointer?
    ) -> Int32
  typealias Ask = @convention(c) (OpaquePointer) -> Int32
  typealias Take = @convention(c) (OpaquePointer) -> OpaquePointer?

  let openSystem: Open
  let openUser: Open
  let addMatch: Match
  let file: Ask
  let isReady: Ask
  let process: @convention(c) (OpaquePointer, UnsafeMutablePointer<OpaquePointer?>) -> Int32
  let isSignal: @convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
  let read: @convention(c) (OpaquePointer, CChar, UnsafeMutableRawPointer) -> Int32
  let release: Take
  let close: Take

  private static let library = DynamicLibrary(["libsystemd.so.0", "libelogind.so.0", "libbasu.so.0"])

  /// Nil if the library is missing.
  init?() {
    guard let library = Self.library,
      let openSystem = unsafe library.function("sd_bus_open_system", as: Open.self),
      let openUser = unsafe library.function("sd_bus_open_user", as: Open.self),
      let addMatch = unsafe library.function("sd_bus_add_match_async", as: Match.self),
      let file = unsafe library.function("sd_bus_get_fd", as: Ask.self),
      let isReady = unsafe library.function("sd_bus_is_ready", as: Ask.self),
      let process = unsafe library.function(
        "sd_bus_process", as: (@convention(c) (OpaquePointer, UnsafeMutablePointer<OpaquePointer?>) -> Int32).self),
      let isSignal = unsafe library.function(
        "sd_bus_message_is_signal",
        as: (@convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32).self),
      let read = unsafe library.function(
        "sd_bus_message_read_basic",
        as: (@convention(c) (OpaquePointer, CChar, UnsafeMutableRawPointer) -> Int32).self),
      let release = unsafe library.function("sd_bus_message_unref", as: Take.self),
      let close = unsafe library.function("sd_bus_flush_close_unref", as: Take.self)
    else { return nil }
    unsafe (self.openSystem, self.openUser, self.addMatch) = (openSystem, openUser, addMatch)
    unsafe (self.file, self.isReady, self.process, self.isSignal) = (file, isReady, process, isSignal)
    unsafe (self.read, self.release, self.close) = (read, release, close)
  }
}
