import ArgumentParser
import Coffer

/// The memory for what rules keep.
struct MemoryArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Memory for keys and references, such as 512MiB; the rest goes to a temporary file (default: 256MiB, for imports 64MiB).",
      valueName: "size"))
  var memoryLimit: ByteSize?

  func validate() throws {
    if let memoryLimit, memoryLimit.bytes < 1 << 20 { throw ValidationError("--memory-limit must be at least 1MiB") }
  }

  /// Sets the limit, if one is given.
  func apply(to execution: inout Execution) {
    if let memoryLimit { execution.memoryLimit = memoryLimit.bytes }
  }
}
