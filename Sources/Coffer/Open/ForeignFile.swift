import ByteStreams

/// A kind of file that Coffer doesn't read as a document, recognised by its first bytes. JSON never begins with them.
struct ForeignFile {
  /// The name in messages.
  let name: String
  let code: CofferError.Code
  /// What the user can do.
  private let remedy: String
  private let signature: [UInt8]

  /// The length of the longest signature.
  static let signatureLength = 6

  private static let all = [
    ForeignFile(compression: "xz", program: "unxz", signature: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
    ForeignFile(compression: "bzip2", program: "bunzip2", signature: [0x42, 0x5A, 0x68]),
    ForeignFile(
      name: "a 7z archive", code: .foreignCompression, remedy: "extract the document first (7z x FILE)",
      signature: [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
    ForeignFile(
      name: "a SQLite database", code: .sqliteDatabase,
      remedy: "first export a backup from it (coffer export FILE export.json), or in its app",
      signature: Array("SQLite".utf8)),
  ]

  /// - Parameter prefix: the first ``signatureLength`` bytes of the file.
  init?(of prefix: [UInt8]) {
    guard let known = Self.all.first(where: { prefix.starts(with: $0.signature) }) else { return nil }
    self = known
  }

  private init(name: String, code: CofferError.Code, remedy: String, signature: [UInt8]) {
    self.name = name
    self.code = code
    self.remedy = remedy
    self.signature = signature
  }

  private init(compression: String, program: String, signature: [UInt8]) {
    self.init(
      name: "\(compression) data", code: .foreignCompression,
      remedy: "decompress it first (\(program) -c FILE | coffer … -)", signature: signature
    )
  }

  var error: CofferError { CofferError(code, "\(name) is not supported: \(remedy)", at: .init(inputOffset: 0)) }
}
