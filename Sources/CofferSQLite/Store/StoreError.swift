/// An error of importing a backup into a database, or of exporting it.
///
/// For example:
///
///     error.code          // newer-version
///     error.message       // backup.db holds version 12 of 'ev-charging-tracker'; the newest known version is 9
///     error.isRefusal     // true: nothing was changed, because data would have been lost
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// The kind of error, stable for programs. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code in kebab case, such as `disk-full`.
    public let rawValue: String
    /// Creates a code from any text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The backup's format is unknown or ambiguous.
    public static let unknownFormat = Code(rawValue: "unknown-format")
    /// The version of the backup or of the database's contents is newer than the newest known one.
    public static let newerVersion = Code(rawValue: "newer-version")
    /// The backup and the database have incompatible formats, versions or tables.
    public static let incompatible = Code(rawValue: "incompatible")
    /// Validation found errors.
    public static let findings = Code(rawValue: "findings")
    /// The backup can't be read completely, or isn't JSON.
    public static let unreadable = Code(rawValue: "unreadable")
    /// Validation reached a limit, so there is no result.
    public static let ruleLimit = Code(rawValue: "rule-limit")
    /// A value that a table can't hold exactly: a record that isn't an object, a key that doesn't fit its column, a duplicate
    /// member.
    public static let unsupportedValue = Code(rawValue: "unsupported-value")
    /// Records have a duplicate key, or refer to missing records.
    public static let conflict = Code(rawValue: "conflict")
    /// Two records conflict, and neither has a time that decides which is newer.
    public static let noTime = Code(rawValue: "no-time")
    /// The database holds no backup.
    public static let noBackup = Code(rawValue: "no-backup")
    /// The file is damaged, or isn't a database.
    public static let damaged = Code(rawValue: "damaged-database")
    /// The written data differs from the intended data.
    public static let verification = Code(rawValue: "verification")
    /// The commit failed with an I/O error, and its outcome is unknown: the database has all changes or none.
    public static let uncertain = Code(rawValue: "uncertain")
    /// Another process holds a lock.
    public static let locked = Code(rawValue: "locked")
    public static let diskFull = Code(rawValue: "disk-full")
    public static let permissionDenied = Code(rawValue: "permission-denied")
    /// Reading or writing failed.
    public static let inputOutput = Code(rawValue: "input-output")
  }

  /// The kind of error, for programs.
  public let code: Code
  /// The problem and its place, for users.
  public let message: String
  /// The offset in the document in bytes, from 0; `nil` if the error has no place in it.
  public let offset: Int?

  /// Creates an error, for example in a test.
  public init(code: Code, message: String, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.offset = offset
  }

  /// True if nothing was changed, because data would have been lost or there was no room for it.
  public var isRefusal: Bool {
    switch code {
    case .unreadable, .ruleLimit, .damaged, .verification, .uncertain, .permissionDenied, .inputOutput, .noBackup: false
    default: true
    }
  }

  public var description: String { message }
}
