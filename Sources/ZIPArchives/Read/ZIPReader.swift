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
/// Cost: one pass. Memory: 1 MiB, and about 600 bytes plus the name for each entry, regardless of their sizes.
///
/// Errors: `CofferError`; the first one is repeated by every later call.
public final class ZIPReader: FailingReader {
  private let options: Options
  private let window: BlockWindow
  private let handle: ArchiveHandle
  /// The directory check of a file.
  private let check: DirectoryCheck?
  private var isOpen = false
  private var isAtEnd = false
  private var names = EntryNames()
  private var records: [EntryRecord] = []
  private var current: EntryRecord?
  /// True if the current entry's data has been read to its end.
  private var isEntryRead = true
  /// The expanded size of all entries so far.
  private var totalSize = 0
  private var piece = UnsafeRawBufferPointer(start: nil, count: 0)
  package var failure: CofferError?
  /// The compressed sizes of the entries, in order; known after the last one.
  package private(set) var compressedSizes: [Int] = []
  /// The faults in individual entries, in the order of their discovery.
  public private(set) var faults: [CofferError] = []

  /// Reads a stream. The first call of ``next()`` reports whether it is an archive.
  public convenience init(_ source: some ByteSource, options: Options = Options()) {
    self.init(BlockWindow(source), nil, options)
  }

  /// Reads a file and checks its directory immediately.
  ///
  /// - Parameters:
  ///   - file: a regular file that has not been read yet; any other is read as a stream.
  ///   - options: the limits of the archive, and how to treat faults in individual entries.
  /// - Throws: faults of the whole archive, as far as its directory and the headers before the data show them.
  public convenience init(_ file: FileSource, options: Options = Options()) throws(CofferError) {
    guard let stored = StoredBytes(file) else {
      self.init(BlockWindow(file as any ByteSource), nil, options)
      return
    }
    try self.init(stored, options: options)
  }

  /// Reads seekable bytes like a file.
  package convenience init(_ stored: StoredBytes, options: Options = Options()) throws(CofferError) {
    let check = try DirectoryCheck(stored, limits: options.limits)
    self.init(BlockWindow(stored, patches: check.patches), check, options)
  }

  private init(_ window: BlockWindow, _ check: DirectoryCheck?, _ options: Options) {
    self.options = options
    self.window = window
    self.check = check
    handle = ArchiveHandle(window)
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

  /// Skips the rest of the current entry's data without checking it. Stored data of a file isn't even read.
  ///
  /// - Throws: like ``next()``, faults of the whole archive.
  public func skip() throws(CofferError) {
    try orFail { () throws(CofferError) in
      guard !isEntryRead else { return }
      isEntryRead = true
      current?.isRead = false
      if handle.skipData() == .broken { throw broken() }
    }
  }

  private func nextEntry() throws(CofferError) -> ZIPEntry? {
    if isAtEnd { return nil }
    if let current {
      records.append(current)
      self.current = nil
    }
    if !isOpen {
      isOpen = true
      if handle.open() != .good { throw window.failure ?? .notZIP }
    }
    let before = handle.position
    switch handle.nextHeader() {
    case .good:
      let local = try local(from: before)
      keepBytes(before: local.offset)
      return try begin(local)
    case .end:
      isAtEnd = true
      // libarchive doesn't read what follows stored data, see `DirectoryCheck.patches`.
      let isStored = records.last?.local.method == ZIPLayout.stored
      keepBytes(before: isStored ? check?.directory.offset ?? handle.position : handle.position)
      try finish()
      return nil
    case .failed, .broken: throw broken()
    }
  }

  /// Keeps what follows the last entry's data until the directory is known.
  private func keepBytes(before offset: Int) {
    guard let last = records.last, last.local.hasDescriptor else { return }
    let start = max(0, offset - EntryRecord.largestDescriptor)
    records[records.count - 1].lastBytes = window.bytes(at: start, count: offset - start)
  }

  /// Returns the header that was just read.
  private func local(from before: Int) throws(CofferError) -> LocalHeader {
    let dataOffset = handle.position
    if let check {
      guard records.count < check.locals.count else { throw moreThanListed }
      let local = check.locals[records.count]
      guard local.offset + local.length == dataOffset else { throw moreThanListed }
      return local
    }
    if let local = window.localHeader(from: before, to: dataOffset) { return local }
    throw CofferError(.zipCorrupt, "the header before byte \(dataOffset) is damaged")
  }

  private var moreThanListed: CofferError {
    CofferError(.zipInconsistent, "an entry is not at the offset in the archive's directory")
  }

  private func begin(_ local: LocalHeader) throws(CofferError) -> ZIPEntry {
    guard records.count < options.limits.entries else { throw .tooManyEntries(options.limits) }
    // Many small entries can be a bomb, too.
    if totalSize > ExpansionLimits.ratioFloor, totalSize / max(1, handle.position) >= options.limits.ratio {
      throw CofferError(.limit, "the archive's entries expand to more than \(options.limits.ratio) times their compressed size")
    }
    let central = check?.directory.headers[records.count]
    current = EntryRecord(local)
    isEntryRead = false
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
      try note(CofferError(.zipEncrypted, "the entry is encrypted", entry: name))
      try skip()
    } else if entry.isFolder, entry.size ?? 0 > 0 {
      throw CofferError(.zipInconsistent, "the entry has a folder's name, but contains data", entry: name)
    }
    return entry
  }

  // MARK: Data

  /// Returns the next bytes of the current entry, or `nil` at its end. They are valid until the next call.
  package func nextPiece() throws(CofferError) -> UnsafeRawBufferPointer? {
    try orFail { () throws(CofferError) in
      while !isEntryRead, let record = current {
        switch handle.nextData(&piece) {
        case .good:
          if piece.isEmpty { continue }
          try take(piece)
          return piece
        case .end:
          isEntryRead = true
          current?.dataEnd = handle.position
          try finishEntry()
        case .failed:
          isEntryRead = true
          current?.isRead = false
          try note(
            CofferError(.zipUnsupported, "the data can't be expanded: \(handle.message)", entry: record.local.name.decoded))
        case .broken: throw broken()
        }
      }
      return nil
    }
  }

  /// The current entry's remaining data; empty at its end, or once it can't be read any more.
  ///
  /// Reading it throws the error that ``next()`` then throws, too.
  public var contents: some ByteSource { EntrySource(self) }

  private func take(_ piece: UnsafeRawBufferPointer) throws(CofferError) {
    totalSize += piece.count
    let (declared, limits) = (declaredSize, options.limits)
    try current?.take(piece, declared: declared, position: handle.position, limits: limits)
    if totalSize > limits.size {
      throw CofferError(
        .limit, "the archive's entries expand to more than \(limits.size) bytes", entry: current?.local.name.decoded)
    }
  }

  private var declaredSize: Int? { check?.directory.headers[records.count].size ?? current?.local.size }

  private func finishEntry() throws(CofferError) {
    guard let record = current else { return }
    if let central = check?.directory.headers[records.count] {
      try note(record.fault(size: central.size, checksum: central.checksum))
    } else if let size = record.local.size {
      try note(record.fault(size: size, checksum: record.local.checksum))
    }
  }

  // MARK: The end

  /// Ends the archive: for a stream, the directory is compared now.
  private func finish() throws(CofferError) {
    if let check {
      guard records.count == check.locals.count else {
        throw CofferError(.zipInconsistent, "the archive's directory lists missing entries")
      }
      compressedSizes = check.directory.headers.map(\.compressedSize)
      try checkBytesAfterData(check.directory)
      return
    }
    var input = window.rest(from: handle.position)
    let directory = try CentralDirectory(&input, at: handle.position, limits: options.limits)
    try directory.check(records.map(\.local))
    compressedSizes = directory.headers.map(\.compressedSize)
    for (central, record) in zip(directory.headers, records) {
      try note(central.typeFault)
      guard record.local.hasDescriptor, record.isRead else { continue }
      try note(record.fault(size: central.size, checksum: central.checksum))
    }
    try checkBytesAfterData(directory)
  }

  private func checkBytesAfterData(_ directory: CentralDirectory) throws(CofferError) {
    for (index, record) in records.enumerated() where record.isRead {
      let next = index + 1 < records.count ? records[index + 1].local.offset : directory.offset
      try note(record.faultAfterData(directory.headers[index], before: next))
    }
  }

  private func note(_ fault: CofferError?) throws(CofferError) {
    guard let fault else { return }
    if options.faults == .refused { throw fault }
    faults.append(fault)
  }

  /// Returns the error for a fault at which libarchive could not continue.
  private func broken() -> CofferError {
    if let error = window.failure { return error }
    let name = current?.local.name.decoded
    // libarchive's message distinguishes an early end from damage. zlib's -5 (Z_BUF_ERROR) also means that the input ended.
    if window.isAtEnd, handle.message.hasPrefix("Truncated") || handle.message.hasSuffix("(-5)") {
      return CofferError(.zipTruncated, "the archive ends too early", entry: name)
    }
    return CofferError(.zipCorrupt, "the data is damaged: \(handle.message)", entry: name)
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
