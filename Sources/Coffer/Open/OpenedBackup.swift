import ByteStreams
import LZ4Streams
import ZIPArchives

/// A backup whose container and compression are known: the first step of every verb.
///
///     bytes ─▶ OpenedBackup: container, compression ─▶ IdentifiedDocument: syntax, format, rules ─▶ verb
///
/// Opening looks at the first bytes; the reader of the document or archive gets all bytes.
enum OpenedBackup {
  /// A document. LZ4 data is decompressed as it is read.
  case document(any ByteSource, isCompressed: Bool)
  case archive(OpenedArchive)

  /// - Parameter progress: counts the stored bytes that have been read.
  /// - Throws: `foreignCompression` for a compression that Coffer doesn't support; `CofferError` for unreadable bytes.
  init(_ source: some ByteSource, progress: WorkProgress? = nil) throws(CofferError) {
    let file = source as? FileSource
    let stored = file.flatMap { StoredBytes($0, progress: progress) } ?? (source as? StoredSource)?.unread
    if let count = stored?.byteCount ?? file?.byteCount { progress?.expect(count) }
    var source: any ByteSource = stored?.isMetered == true && file == nil ? source : source.metered(by: progress)
    let prefix = try source.readPrefix(ForeignCompression.signatureLength)
    if let compression = ForeignCompression(of: prefix) {
      throw CofferError(.foreignCompression, compression.refusal, at: .init(inputOffset: 0))
    }
    let whole = PrefixedSource(prefix: prefix, rest: source)
    if ZIPReader.isArchive(prefix) {
      self = .archive(OpenedArchive(stored: stored, stream: whole))
    } else {
      let document = try LZ4Source.detecting(whole)
      self = .document(document, isCompressed: document is LZ4Source)
    }
  }

  /// Returns the message for a ZIP archive where a document is required.
  ///
  /// - Parameter name: the archive's name.
  static func archiveRefusal(of name: String) -> String {
    "\(name) is a ZIP archive: unpack it (coffer unpack), and use the document in it instead"
  }
}

/// A ZIP archive of which no entry has been read.
struct OpenedArchive {
  /// `nil` if the archive can be read only once.
  let stored: StoredBytes?
  fileprivate let stream: any ByteSource

  fileprivate init(stored: StoredBytes?, stream: any ByteSource) {
    self.stored = stored
    self.stream = stream
  }

  /// Returns a reader of its entries. It checks a file's directory now, and that of a stream after the last entry.
  func reader(limits: ZIPLimits, faults: ZIPReader.Faults) throws(CofferError) -> ZIPReader {
    var options = ZIPReader.Options()
    options.limits = limits
    options.faults = faults
    if let stored { return try ZIPReader(stored, options: options) }
    return ZIPReader(stream, options: options)
  }
}

extension ByteSource {
  /// Returns the document in these bytes, decompressed if they are LZ4 data.
  ///
  /// - Throws: `zipArchive` for a ZIP archive; otherwise as `OpenedBackup`.
  func document(progress: WorkProgress? = nil) throws(CofferError) -> any ByteSource {
    switch try OpenedBackup(self, progress: progress) {
    case .document(let document, _): return document
    case .archive:
      throw CofferError(.zipArchive, OpenedBackup.archiveRefusal(of: "this"), at: .init(inputOffset: 0))
    }
  }
}

/// A compression that Coffer doesn't support, recognised by its first bytes. JSON never begins with them.
struct ForeignCompression {
  let name: String
  private let program: String
  private let signature: [UInt8]

  /// The length of the longest signature.
  static let signatureLength = 6

  private static let all = [
    ForeignCompression(name: "gzip", program: "gunzip", signature: [0x1F, 0x8B]),
    ForeignCompression(name: "zstd", program: "unzstd", signature: [0x28, 0xB5, 0x2F, 0xFD]),
    ForeignCompression(name: "xz", program: "unxz", signature: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
    ForeignCompression(name: "bzip2", program: "bunzip2", signature: [0x42, 0x5A, 0x68]),
  ]

  /// - Parameter prefix: the first ``signatureLength`` bytes of the data.
  init?(of prefix: [UInt8]) {
    guard let known = Self.all.first(where: { prefix.starts(with: $0.signature) }) else { return nil }
    self = known
  }

  private init(name: String, program: String, signature: [UInt8]) {
    self.name = name
    self.program = program
    self.signature = signature
  }

  var refusal: String { "\(name) data is not supported: decompress it first (\(program) -c FILE | coffer … -)" }
}
