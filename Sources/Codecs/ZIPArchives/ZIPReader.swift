public import ByteStreams

/// Reads a ZIP archive from its start to its end, entry by entry, without unpacking anything to disk.
///
/// For example:
///
///     let reader = try ZIPReader(FileSource(path: "backup.zip"))
///     while let entry = try reader.next() {
///       if entry.name == "metadata.json" { try parse(reader.contents) }
///     }
///
/// An archive has two directories: the headers before the data, and the list at its end. The reader uses the first and compares
/// it with the second, for a file before anything else, for a stream on reaching it. If they disagree, the archive is rejected.
/// Faults in individual entries (an unsafe name, a wrong checksum) are thrown or recorded in ``faults``, depending on the options;
/// the check is the same.
///
/// Data is stored or deflated; entries that are compressed otherwise or encrypted have faults, and no data. A stream can't be read
/// past those whose sizes follow the data.
///
/// Cost: one pass. Memory: 1 MiB, and about 600 bytes plus the name for each entry, regardless of their sizes.
///
/// Errors: `CofferError`; the first one is repeated by every later call.
public final class ZIPReader: FailingReader {
  private let options: Options
  private let input: LookaheadInput
  private let data: EntryData
  /// The directory check of a file.
  private let check: DirectoryCheck?
  private var isAtEnd = false
  private var names = EntryNames()
  private var records: [EntryRecord] = []
  private var current: EntryRecord?
  /// The expanded size of all entries so far.
  private var totalSize = 0
  package var failure: CofferError?
  /// The compressed sizes of the entries, in order; known after the last one.
  package private(set) var compressedSizes: [Int] = []
  /// The faults in individual entries, in the order of their discovery.
  public private(set) var faults: [CofferError] = []

  /// Reads a stream. The first call of ``next()`` reports whether it is an archive.
  public convenience init(_ source: some ByteSource, options: Options = Options()) {
    self.init(source, nil, options)
  }

  /// Reads a file and checks its directory immediately.
  ///
  /// - Parameters:
  ///   - file: a regular file that has not been read yet; any other is read as a stream.
  ///   - options: the limits of the archive, and how to treat faults in individual entries.
  /// - Throws: faults of the whole archive, as far as its directory and the headers before the data show them.
  public convenience init(_ file: FileSource, options: Options = Options()) throws(CofferError) {
    if let stored = StoredBytes(file) {
      try self.init(stored, options: options)
    } else {
      self.init(file, nil, options)
    }
  }

  /// Reads seekable bytes like a file.
  package convenience init(_ stored: StoredBytes, options: Options = Options()) throws(CofferError) {
    self.init(StoredSource(stored), try DirectoryCheck(stored, limits: options.limits), options)
  }

  private init(_ source: any ByteSource, _ check: DirectoryCheck?, _ options: Options) {
    self.options = options
    self.check = check
    input = LookaheadInput(source)
    data = EntryData(input)
  }

  /// Returns true if the first four bytes are those of a ZIP archive.
  public static func isArchive(_ prefix: [UInt8]) -> Bool { ZIPLayout.isArchive(prefix) }

  /// Returns true if the file name ends in `.zip`, in upper or lower case.
  public static func isNamed(by name: String) -> Bool { name.lowercased().hasSuffix(".zip") }

  /// All entries in order, if the archive is seekable.
  package var storedEntries: [StoredEntry] {
    guard let check else { return [] }
    return zip(check.directory.headers, check.locals).map(StoredEntry.init)
  }

  // MARK: Entries

  /// Returns the next entry in the archive's order, or `nil` after the last one, once the archive is known to be complete.
  ///
  /// Reads the rest of the previous entry first.
  ///
  /// - Throws: faults of the whole archive: `notZIP`, `truncated`, `corrupt`, `inconsistent`, `unsupported`, `limit`,
  ///   `inputOutput`, `cancelled`; and, unless recorded, faults of the previous entry and of this one.
  public func next() throws(CofferError) -> ZIPEntry? {
    try orFail { () throws(CofferError) in
      while try nextPiece() != nil {}
      return try nextEntry()
    }
  }

  /// Skips the rest of the current entry's data without checking it. The data of a file isn't even read.
  ///
  /// - Throws: like ``next()``, faults of the whole archive.
  public func skip() throws(CofferError) {
    try orFail { () throws(CofferError) in
      guard data.isOpen else { return }
      current?.isRead = false
      try data.skip()
      // The directory of a file says where the next header is.
      if check == nil { try endData() }
    }
  }

  private func nextEntry() throws(CofferError) -> ZIPEntry? {
    if isAtEnd { return nil }
    if let current {
      records.append(current)
      self.current = nil
    }
    if let local = try nextHeader() { return try begin(local) }
    isAtEnd = true
    try finish()
    return nil
  }

  /// Passes the next header before data, or returns `nil` at the directory.
  private func nextHeader() throws(CofferError) -> LocalHeader? {
    if let check {
      guard records.count < check.locals.count else { return nil }
      let local = check.locals[records.count]
      guard try input.skip(local.offset + local.length - input.offset) else { throw truncated }
      return local
    }
    let isWhole = try input.have(4)
    if records.isEmpty, !ZIPLayout.isArchive(Array(input.available.prefix(4))) { throw .notZIP }
    guard isWhole else { throw truncated }
    let signature = Int(input.number())
    if signature == ZIPLayout.centralSignature || records.isEmpty && signature != ZIPLayout.localSignature { return nil }
    guard signature == ZIPLayout.localSignature else { throw damagedHeader }
    guard try input.have(ZIPLayout.localLength) else { throw truncated }
    guard let length = LocalHeader.length(input.available), try input.have(length) else { throw truncated }
    guard let local = LocalHeader(Array(input.available.prefix(length)), at: input.offset) else { throw damagedHeader }
    input.consume(length)
    return local
  }

  private var truncated: CofferError { CofferError(.zipTruncated, "the archive ends too early", entry: nil) }

  private var damagedHeader: CofferError { CofferError(.zipCorrupt, "the header at byte \(input.offset) is damaged", entry: nil) }

  private func begin(_ local: LocalHeader) throws(CofferError) -> ZIPEntry {
    guard records.count < options.limits.entries else { throw .tooManyEntries(options.limits) }
    // Many small entries can be a bomb, too.
    if totalSize > ExpansionLimits.ratioFloor, totalSize / max(1, input.offset) >= options.limits.ratio {
      throw CofferError(.limit, "the archive's entries expand to more than \(options.limits.ratio) times their compressed size")
    }
    let central = check?.directory.headers[records.count]
    current = EntryRecord(local)
    data.begin(local, compressedSize: central?.compressedSize ?? local.compressedSize)
    let name = local.name.decoded
    if let fault = local.name.fault(lengthLimit: options.limits.nameLength) {
      try note(CofferError(.unsafeName, fault, entry: name))
    } else if let text = local.name.text, let fault = names.fault(adding: text) {
      try note(CofferError(.duplicateName, fault, entry: name))
    }
    // Each name may contain many folders: their memory is bounded like that of the entries.
    guard names.impliedFolderCount <= options.limits.entries else {
      throw CofferError(.limit, "the archive has more than \(options.limits.entries) folders")
    }
    try note(central?.typeFault)
    let entry = ZIPEntry(
      name: local.name.text ?? name, size: central?.size ?? local.size,
      compressedSize: central?.compressedSize ?? local.compressedSize, offset: local.offset)
    if local.flags & (ZIPLayout.Flag.encrypted | ZIPLayout.Flag.strongEncryption) != 0 {
      try leaveOut(CofferError(.zipEncrypted, "the entry is encrypted", entry: name), entry)
    } else if local.method != ZIPLayout.stored, local.method != ZIPLayout.deflated {
      let message = "the data can't be expanded: it is neither stored nor deflated (method \(local.method))"
      try leaveOut(CofferError(.zipUnsupported, message, entry: name), entry)
    } else if entry.isFolder, entry.size ?? 0 > 0 {
      throw fullFolder(named: name)
    }
    return entry
  }

  private func fullFolder(named name: String) -> CofferError {
    CofferError(.zipInconsistent, "the entry has a folder's name, but contains data", entry: name)
  }

  /// Notes the fault of an entry whose data can't be read, and skips the data.
  private func leaveOut(_ fault: CofferError, _ entry: ZIPEntry) throws(CofferError) {
    // Without a size, nothing tells where such data ends.
    if entry.compressedSize == nil { throw fault }
    try note(fault)
    try skip()
  }

  // MARK: Data

  /// Returns the next bytes of the current entry, or `nil` at its end. They are valid until the next call.
  package func nextPiece() throws(CofferError) -> UnsafeRawBufferPointer? {
    try orFail { () throws(CofferError) in
      guard data.isOpen, let record = current else { return nil }
      guard let piece = try data.next() else {
        try endData()
        try checkData()
        return nil
      }
      try check(piece, of: record)
      return piece
    }
  }

  /// The current entry's remaining data; empty at its end, or once it can't be read any more.
  ///
  /// Reading it throws the error that ``next()`` then throws, too.
  public var contents: some ByteSource { EntrySource(self) }

  /// Checks the limits of the entry and of all entries.
  private func check(_ piece: UnsafeRawBufferPointer, of record: EntryRecord) throws(CofferError) {
    totalSize += piece.count
    let (name, limits) = (record.local.name.decoded, options.limits)
    if record.local.name.isFolder { throw fullFolder(named: name) }
    if let declared = declared?.size ?? record.local.size, data.size > declared {
      throw CofferError(.zipSize, "it expands to more than the \(declared) bytes declared in the archive", entry: name)
    }
    let compressed = input.offset - record.local.offset - record.local.length
    if data.size > ExpansionLimits.ratioFloor, data.size / max(1, compressed) >= limits.ratio {
      throw CofferError(.limit, "it expands to more than \(limits.ratio) times its compressed size", entry: name)
    }
    if totalSize > limits.size {
      throw CofferError(.limit, "the archive's entries expand to more than \(limits.size) bytes", entry: name)
    }
  }

  /// The directory's header of the current entry of a file.
  private var declared: CentralHeader? { check?.directory.headers[records.count] }

  /// Passes what follows the entry's content.
  private func endData() throws(CofferError) {
    guard let local = current?.local else { return }
    current?.end(data, at: input.offset)
    try data.passRest()
    guard local.hasDescriptor else { return }
    let next = check.map { records.count + 1 < $0.locals.count ? $0.locals[records.count + 1].offset : $0.directory.offset }
    current?.descriptor = try data.passDescriptor(length: next.map { $0 - input.offset }, isLarge: local.isLarge)
  }

  /// Compares the entry's content with what is known of it.
  private func checkData() throws(CofferError) {
    guard let record = current else { return }
    if let declared {
      try note(record.fault(size: declared.size, checksum: declared.checksum))
    } else if let size = record.local.size {
      try note(record.fault(size: size, checksum: record.local.checksum))
    }
  }

  // MARK: The end

  /// Ends the archive: for a stream, the directory is compared now.
  private func finish() throws(CofferError) {
    let directory: CentralDirectory
    if let check {
      directory = check.directory
    } else {
      directory = try CentralDirectory(input, limits: options.limits)
      try directory.check(records.map(\.local))
    }
    compressedSizes = directory.headers.map(\.compressedSize)
    for (central, record) in zip(directory.headers, records) where check == nil {
      try note(central.typeFault)
      guard record.local.hasDescriptor, record.isRead else { continue }
      try note(record.fault(size: central.size, checksum: central.checksum))
    }
    for (central, record) in zip(directory.headers, records) where record.isRead { try note(record.faultAfterData(central)) }
  }

  private func note(_ fault: CofferError?) throws(CofferError) {
    guard let fault else { return }
    if options.faults == .refused { throw fault }
    faults.append(fault)
  }
}

extension ZIPReader {
  /// The options for reading an archive.
  public struct Options: Sendable {
    /// The limits of the archive: beyond them, reading ends with the error `limit`, regardless of `faults`.
    public var limits = ZIPLimits()
    /// How to treat faults in individual entries.
    public var faults = Faults.refused

    public init() {}
  }

  /// How to treat faults in individual entries, so that others can still be read.
  public enum Faults: Sendable {
    /// Faults are thrown.
    case refused
    /// Faults are recorded, and reading continues.
    case noted
  }
}

/// The data of a reader's current entry as a byte source.
struct EntrySource: ByteSource {
  private let reader: ZIPReader
  private var rest = UnsafeRawBufferPointer(start: nil, count: 0)

  init(_ reader: ZIPReader) { self.reader = reader }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    if rest.isEmpty {
      guard let piece = try reader.nextPiece() else { return 0 }
      rest = piece
    }
    let count = min(rest.count, buffer.count)
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    return count
  }
}
