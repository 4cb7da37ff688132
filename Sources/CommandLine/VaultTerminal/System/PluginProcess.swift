package import VaultAge
import VaultSystem

/// A running age plugin: a process in a session of its own, with pipes as its only streams.
package final class PluginProcess: AgePluginProcess {
  private let plugin: String
  private let process: Int32
  private let input: Int32
  private let output: Int32
  private let wait: Wait

  /// How long a plugin may write nothing.
  package struct Wait: Sendable {
    /// In milliseconds, until `note` is called, once for each wait.
    package var beforeNote: Int32 = 5000
    /// In milliseconds, altogether.
    package var limit: Int32
    package var note: @Sendable () -> Void

    package init(limit: Int32, note: @escaping @Sendable () -> Void) { (self.limit, self.note) = (limit, note) }
  }

  /// Starts `age-plugin-NAME` with an argument. Only absolute folders of the PATH are searched, because a plugin must
  /// not come from the folder that the user happens to be in.
  package init(_ plugin: String, argument: String, wait: Wait) throws(AgeError) {
    let name = "age-plugin-\(plugin)"
    let folders = System.environment("PATH")?.split(separator: ":").filter { $0.hasPrefix("/") } ?? []
    guard let path = folders.map({ "\($0)/\(name)" }).first(where: { System.mayRun($0) }) else {
      throw AgeError(plugin: plugin, "is needed, and is in no folder of the PATH", code: .pluginMissing)
    }
    do throws(SystemError) {
      let input = try System.makePipe()
      defer { System.closePipe(input.reading) }
      let output = try System.makePipe()
      defer { System.closePipe(output.writing) }
      (self.input, self.output) = (input.writing, output.reading)
      let streams = ChildStreams(input: input.reading, output: output.writing, closesOthers: true, isAlone: true)
      do throws(SystemError) {
        process = try System.spawn(path, [name, argument], variables: System.variablesForTools(), streams: streams)
      } catch {
        System.closePipe(input.writing)
        System.closePipe(output.reading)
        throw error
      }
    } catch {
      throw AgeError(plugin: plugin, "cannot be run (error \(error.number))")
    }
    (self.plugin, self.wait) = (plugin, wait)
    ExitCleanup.shared.withLock { [process] in $0.plugins.append(process) }
  }

  package func write(_ bytes: RawSpan) throws(AgeError) {
    var rest = bytes
    while rest.byteCount > 0 {
      try awaitReady(input, toWrite: true, "does not read")
      // A pipe that is ready takes this many bytes without a wait.
      let piece = rest.extracting(first: 512)
      do throws(SystemError) {
        try System.writeAll(piece, to: input)
      } catch {
        throw AgeError(plugin: plugin, "ended before it was done")
      }
      rest = rest.extracting(droppingFirst: piece.byteCount)
    }
  }

  package func read(into bytes: inout MutableRawSpan, at offset: Int) throws(AgeError) -> Int {
    try awaitReady(output, toWrite: false, "does not answer")
    do throws(SystemError) {
      return try System.readSome(into: &bytes, at: offset, from: output)
    } catch {
      throw AgeError(plugin: plugin, "cannot be read (error \(error.number))")
    }
  }

  /// Waits until a stream is ready, or closed by the plugin.
  private func awaitReady(_ stream: Int32, toWrite isWriting: Bool, _ reason: String) throws(AgeError) {
    let first = min(wait.beforeNote, wait.limit)
    if Self.isReady(stream, toWrite: isWriting, first) { return }
    if wait.limit > first {
      wait.note()
      if Self.isReady(stream, toWrite: isWriting, wait.limit - first) { return }
    }
    throw AgeError(plugin: plugin, "\(reason) for \(wait.limit / 1000) seconds, and was ended")
  }

  private static func isReady(_ stream: Int32, toWrite isWriting: Bool, _ milliseconds: Int32) -> Bool {
    let end = ContinuousClock.now + .milliseconds(Int64(milliseconds))
    // A signal ends a wait early.
    repeat {
      let left = Int32(max(0, (end - ContinuousClock.now) / .milliseconds(1)))
      if LocalSocket.wait(for: stream, toWrite: isWriting, milliseconds: left) { return true }
    } while ContinuousClock.now < end
    return false
  }

  /// Closes the streams, lets the plugin end by itself for a moment, and then ends it with all of its children.
  package func end() {
    System.closePipe(input)
    System.closePipe(output)
    for _ in 0..<100 where !ChildProcess.hasEnded(process) { LiveFileOperations().sleep(.milliseconds(5)) }
    ChildProcess.killGroup(process)
    _ = ChildProcess.end(of: process)
    ExitCleanup.shared.withLock { [process] pending in pending.plugins.removeAll { $0 == process } }
  }
}
