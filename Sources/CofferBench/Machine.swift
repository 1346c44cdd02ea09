import Platform

/// The machine on which the measurements ran.
package struct Machine: Sendable, Equatable, Encodable {
  /// `Linux x86_64`
  package let system: String
  package let processors: Int

  /// Returns this machine.
  ///
  /// - Parameter processors: The number of its processors.
  package static func current(processors: Int) -> Machine {
    var name = utsname()
    guard uname(&name) == 0 else { return Machine(system: "unknown", processors: processors) }
    return Machine(system: text(name.sysname) + " " + text(name.machine), processors: processors)
  }

  /// Returns the characters of a C array up to the first zero.
  private static func text(_ characters: some BitwiseCopyable) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
