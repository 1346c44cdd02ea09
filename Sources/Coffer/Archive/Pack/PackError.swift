public import Findings

/// Why no archive was created.
public struct PackError: Error, Sendable, CustomStringConvertible {
  /// The kind of error, stable for programs. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no document of a format with archives, or there are several.
    public static let notABackup = Code(rawValue: "not-a-backup")
    /// The document can't be read completely.
    public static let unreadable = Code(rawValue: "unreadable")
    /// The document and the files don't match: see `findings`.
    public static let invalid = Code(rawValue: "invalid")
    /// The folder contains something that is neither a file nor a folder.
    public static let notAFile = Code(rawValue: "entry-type")
  }

  public let code: Code
  public let message: String
  /// The findings in the document's order.
  public let findings: [Finding]

  init(_ code: Code, _ message: String, findings: [Finding] = []) {
    self.code = code
    self.message = message
    self.findings = findings
  }

  public var description: String { message }
}
