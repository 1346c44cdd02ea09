import Coffer
import SystemPackage

extension FileSource {
  /// Opens the file that an argument names; `-` is standard input.
  init(argument: String, cancellation: Cancellation?) throws(CofferError) {
    self =
      argument == "-"
      ? FileSource.standardInput(cancellation: cancellation)
      : try FileSource(path: FilePath(argument), cancellation: cancellation)
  }

  /// Returns the name of an argument's file in messages.
  static func name(ofArgument argument: String) -> String { argument == "-" ? "standard input" : argument }
}
