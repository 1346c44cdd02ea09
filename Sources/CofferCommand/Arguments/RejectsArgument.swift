import ArgumentParser
import ByteStreams
import Coffer
import Findings
import Reports

/// The file for records and other parts of a document that are left out, or have errors.
struct RejectsArgument: ParsableArguments {
  @Option(
    .file, "Write what is rejected to this file: JSON Lines, each a record or another part with its place, reason and bytes.")
  var rejects: String?

  func validate() throws {
    if rejects == "-" { throw ValidationError("--rejects must name a file") }
  }

  /// Runs `body` with a closure that writes to the file, and completes the file.
  ///
  /// - Parameter body: gets `nil` if there is no such file. The closure also gets the document's name, if several may be meant.
  func writing<R>(_ body: (((LeftOut, UnsafeRawBufferPointer, String?) throws -> Void)?) throws -> R) throws -> R {
    guard let rejects else { return try body(nil) }
    var file = try OutputFile(rejects, existing: .replace)
    let result = try body { entry, bytes, document in
      if !bytes.isEmpty { try file.write(JSONReport.line.text(of: entry.rejected(bytes, of: document))) }
    }
    try file.commit()
    return result
  }
}
