import Foundation

/// Outputs that tests compare with recorded ones, in files of the repository.
///
/// `COFFER_RECORD=1 swift test --filter NAME` writes the files.
package enum Recording {
  package static let isOn = ProcessInfo.processInfo.environment["COFFER_RECORD"] == "1"

  /// Returns the recorded text. If recording is on, it is `text` from now on.
  ///
  /// - Parameter path: the file's path in Tests/Fixtures.
  package static func of(_ text: String, in path: String) throws -> String {
    let file = Checkout.fixtures.appending(path: path)
    if isOn { try Data(text.utf8).write(to: file) }
    return try String(contentsOf: file, encoding: .utf8)
  }
}
