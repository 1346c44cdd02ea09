import ArgumentParser
import ByteStreams
import SystemPackage

/// Another process that reads files for this one.
struct RangeServerArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The descriptor of a connected socket: the process at its other end reads the files whose names are URIs.",
      valueName: "descriptor"))
  var rangeServer: Int32?

  func validate() throws {
    if let rangeServer, rangeServer < 3 { throw ValidationError("--range-server must be 3 or greater") }
  }

  var server: RangeServer? { rangeServer.map { RangeServer(FileDescriptor(rawValue: $0)) } }
}
