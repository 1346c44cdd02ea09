package import SystemPackage

/// An error of any part of Coffer: what went wrong, where, and why.
///
/// For example, for a document whose line 3 is malformed:
///
///     error.code              // syntax
///     error.message           // JSON doesn't allow a comma before ']'
///     error.place.position    // offset 41, line 3, column 9
///     "\(error)"              // JSON doesn't allow a comma before ']' (line 3, column 9, byte 41)
///
/// Two errors are equal if their codes, messages and places are.
public struct CofferError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of error, stable for programs. Each module adds its own. Open: later versions may add codes.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The code in kebab case, such as `not-found`.
    public let rawValue: String
    /// Creates a code from any text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Returns true if an error has this code, for `catch` and `switch`.
    ///
    /// For example:
    ///
    ///     do {
    ///       try unpacker.unpack(source, to: folder)
    ///     } catch CofferError.Code.limit {
    ///       // The archive expands to more than the limits allow.
    ///     }
    @_disfavoredOverload  // `Errno` has members of the same names.
    public static func ~= (code: Self, error: any Error) -> Bool { (error as? CofferError)?.code == code }
  }

  /// The place of an error, as far as it is known.
  public struct Place: Sendable, Hashable {
    /// The name of the document, if it is another than the one that the caller asked for.
    public var document: String?
    /// The affected entry of an archive.
    public var entry: String?
    /// The affected value, as a JSON Pointer.
    public var pointer: String?
    /// The position in the document's text.
    public var position: TextPosition?
    /// The offset of invalid bytes in the input as it arrived, before any decoding, from 0.
    public var inputOffset: Int?

    /// Creates a place from its known parts.
    public init(
      document: String? = nil, entry: String? = nil, pointer: String? = nil, position: TextPosition? = nil,
      inputOffset: Int? = nil
    ) {
      self.document = document
      self.entry = entry
      self.pointer = pointer
      self.position = position
      self.inputOffset = inputOffset
    }
  }

  /// The kind of error, for programs.
  public var code: Code { content.code }
  /// The message for users: the problem, and often its solution. Names the file if a file caused the error; leaves the place out.
  public var message: String { content.message }
  /// The location of the error.
  public package(set) var place: Place {
    get { content.place }
    set { content = Content(content, at: newValue, furtherCount: furtherCount) }
  }
  /// The error that caused this one: an `Errno` if a system call failed, a `DecodingError` if a record doesn't fit its type.
  public var underlying: (any Error)? { content.underlying }
  /// The number of further errors in the same document, if it was read on after this one.
  package var furtherCount: Int {
    get { content.furtherCount }
    set { content = Content(content, at: place, furtherCount: newValue) }
  }

  /// One reference, because every function that throws this type keeps room for it, and passes it on.
  private var content: Content

  private final class Content: Sendable {
    let code: Code
    let message: String
    let messageWithoutContent: String?
    let place: Place
    let underlying: (any Error)?
    let furtherCount: Int

    init(_ code: Code, _ message: String, redacted: String?, at place: Place, underlying: (any Error)?, furtherCount: Int = 0) {
      self.code = code
      self.message = message
      messageWithoutContent = redacted
      self.place = place
      self.underlying = underlying
      self.furtherCount = furtherCount
    }

    convenience init(_ other: Content, at place: Place, furtherCount: Int) {
      self.init(
        other.code, other.message, redacted: other.messageWithoutContent, at: place, underlying: other.underlying,
        furtherCount: furtherCount)
    }
  }

  /// Creates an error, for example in a test.
  public init(_ code: Code, _ message: String, at place: Place = Place(), underlying: (any Error)? = nil) {
    self.init(code, message, redacted: nil, at: place, underlying: underlying)
  }

  /// - Parameter redacted: the message without any content of the document, or `nil` if `message` has none.
  package init(_ code: Code, _ message: String, redacted: String?, at place: Place, underlying: (any Error)? = nil) {
    content = Content(code, message, redacted: redacted, at: place, underlying: underlying)
  }

  /// Adds the document's name to an error in its content, unless there already is one. Other errors name the file in the message.
  package func inDocument(_ name: String?) -> CofferError {
    let concernsContent = place.position != nil || place.inputOffset != nil || place.entry != nil
    guard place.document == nil, concernsContent, let name else { return self }
    var error = self
    error.place.document = name
    return error
  }

  /// This error, with a message that has no content of the document.
  package var redacted: CofferError {
    content.messageWithoutContent.map { CofferError(code, $0, at: place, underlying: underlying) } ?? self
  }

  /// The message, after the archive's entry and before the place. Control characters in the entry's name are escaped.
  public var description: String {
    var parts: [String] = []
    if let document = place.document { parts.append(document) }
    if let pointer = place.pointer { parts.append(pointer.isEmpty ? "the root" : pointer) }
    if let position = place.position {
      parts += ["line \(position.line)", "column \(position.column)"]
      if place.pointer == nil { parts.append("byte \(position.offset)") }
    }
    return messageWithEntry + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))")
  }

  /// The message, after the archive's entry if there is one.
  package var messageWithEntry: String { place.entry.map { "\($0.printable): \(message)" } ?? message }

  public static func == (a: CofferError, b: CofferError) -> Bool {
    a.code == b.code && a.message == b.message && a.place == b.place
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
    hasher.combine(place)
  }
}

/// A position in a document's text.
public struct TextPosition: Sendable, Hashable, BitwiseCopyable {
  /// The offset in bytes, from 0.
  public var offset: Int
  /// The line, from 1.
  public var line: Int
  /// The column, from 1, in Unicode scalar values.
  public var column: Int

  public init(offset: Int, line: Int, column: Int) {
    self.offset = offset
    self.line = line
    self.column = column
  }
}

extension CofferError.Code {
  public static let notFound = Self(rawValue: "not-found")
  public static let permissionDenied = Self(rawValue: "permission-denied")
  public static let isDirectory = Self(rawValue: "is-directory")
  public static let alreadyExists = Self(rawValue: "already-exists")
  public static let noSpace = Self(rawValue: "no-space")
  public static let brokenPipe = Self(rawValue: "broken-pipe")
  public static let inputOutput = Self(rawValue: "input-output")
  /// The bytes came from a stream that was already read.
  public static let alreadyRead = Self(rawValue: "already-read")
  /// The bytes are a ZIP archive, but a document was expected.
  public static let zipArchive = Self(rawValue: "zip-archive")
  /// The bytes are compressed in a format that Coffer doesn't read there.
  public static let foreignCompression = Self(rawValue: "foreign-compression")
  /// The bytes are a SQLite database, but a document was expected.
  public static let sqliteDatabase = Self(rawValue: "sqlite-database")
  /// A file was modified while it was read.
  public static let inputChanged = Self(rawValue: "input-changed")
  /// Another process holds a lock on the folder or the database.
  public static let locked = Self(rawValue: "locked")
  /// A `Cancellation` was requested while a read waited for bytes.
  public static let cancelled = Self(rawValue: "cancelled")
}

extension CofferError {
  /// Creates the error for a failed system call on `name`.
  ///
  /// - Parameter verb: the attempted operation: `open`, `read`, `write`.
  package init(_ errno: Errno, verb: String, name: String) {
    self.init(Code(errno), "cannot \(verb) \(name): \(errno.sentence)", underlying: errno)
  }

  /// Makes a system call, whose failure becomes an error about `name`.
  package static func trying<R>(_ verb: String, _ name: String, _ body: () throws -> R) throws(CofferError) -> R {
    do { return try body() } catch { throw CofferError(error as? Errno ?? .ioError, verb: verb, name: name) }
  }
}

extension CofferError.Code {
  /// Creates the code for a failed system call.
  package init(_ errno: Errno) {
    switch errno {
    case .noSuchFileOrDirectory, .notDirectory: self = .notFound
    case .permissionDenied, .notPermitted, .readOnlyFileSystem: self = .permissionDenied
    case .isDirectory: self = .isDirectory
    case .fileExists: self = .alreadyExists
    case .noSpace, .fileTooLarge, .diskQuotaExceeded: self = .noSpace
    case .brokenPipe: self = .brokenPipe
    default: self = .inputOutput
    }
  }
}

extension Errno {
  /// The system's text with a lowercase first letter, for use after a colon.
  fileprivate var sentence: String {
    let text = description
    guard let first = text.first else { return text }
    return first.lowercased() + text.dropFirst()
  }
}
