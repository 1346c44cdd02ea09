/// Why a backup can't be brought into a database, or out of it.
///
/// For example:
///
///     error.code          // newer-version
///     error.message       // it is of version 12 of 'ev-charging-tracker', and 9 is the newest that is known here
///     error.isRefusal     // true: nothing was done, because data would have been lost
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// Stable for programs. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code in kebab case, such as `disk-full`.
    public let rawValue: String
    /// A code by its text; any text is one.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The backup is of no known format, or of several.
    public static let unknownFormat = Code(rawValue: "unknown-format")
    /// The backup, or what the database holds, is newer than what is known here.
    public static let newerVersion = Code(rawValue: "newer-version")
    /// The two are of formats or versions that have no rows in common.
    public static let incompatible = Code(rawValue: "incompatible")
    /// Validation found errors.
    public static let findings = Code(rawValue: "findings")
    /// The backup can't be read to its end, or is no JSON.
    public static let unreadable = Code(rawValue: "unreadable")
    /// The rules ask for more of the backup than a limit allows, so that there is no verdict.
    public static let ruleLimit = Code(rawValue: "rule-limit")
    /// Values that no table can hold as they are: a record that is no object, a key that no column takes, a member that is there twice.
    public static let unsupportedValue = Code(rawValue: "unsupported-value")
    /// Records that are the same by a key which must be unique, or refer to records that aren't there.
    public static let conflict = Code(rawValue: "conflict")
    /// Nothing says which of two records is the newer one.
    public static let noTime = Code(rawValue: "no-time")
    /// The database holds no backup.
    public static let noBackup = Code(rawValue: "no-backup")
    /// The database is damaged, or is none.
    public static let damaged = Code(rawValue: "damaged-database")
    /// What was written is not what was to be written.
    public static let verification = Code(rawValue: "verification")
    /// The system failed during the commit, and can't say whether it counts: all is in the database, or nothing is.
    public static let uncertain = Code(rawValue: "uncertain")
    /// Somebody else holds a lock.
    public static let locked = Code(rawValue: "locked")
    public static let diskFull = Code(rawValue: "disk-full")
    public static let permissionDenied = Code(rawValue: "permission-denied")
    /// The system can't read or write.
    public static let inputOutput = Code(rawValue: "input-output")
  }

  /// What is wrong, for programs.
  public let code: Code
  /// What is wrong, and where, in words a user can act on.
  public let message: String
  /// A place in the document: from 0, in bytes; `nil` if it is no matter of one.
  public let offset: Int?

  /// An error of one's own, such as a test needs.
  public init(code: Code, message: String, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.offset = offset
  }

  /// Nothing was done because data would have been lost, or because there was no room for it.
  public var isRefusal: Bool {
    switch code {
    case .unreadable, .ruleLimit, .damaged, .verification, .uncertain, .permissionDenied, .inputOutput, .noBackup: false
    default: true
    }
  }

  public var description: String { message }
}
