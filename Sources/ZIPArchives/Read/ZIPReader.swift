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
/// An archive has two directories: the headers before the data, and the list at its end. This reads by the first and holds it against the second,
/// of a file before anything else, of a stream when it comes to it: where they disagree, the archive is refused. What is wrong with one entry alone
/// (an unsafe name, a wrong checksum) is refused too, or noted in ``faults``, as the options say: it is one check either way.
///
/// Cost: one pass. Memory: 1 MiB, and some 600 bytes and its name for each entry, whatever their sizes.
///
/// Errors: `ZIPError`; what has failed once fails again.
public final class ZIPReader {
  private let options: Options
  private let window: BlockWindow
  private let handle: ArchiveHandle
  /// Of a file.
  private let check: DirectoryCheck?
  private var isOpen = false
  private var isAtEnd = false
  private var names = EntryNames()
  private var records: [EntryRecord] = []
  private var current: EntryRecord?
  /// The current entry's data has been read to its end.
  private var isEntryRead = true
  /// How many bytes all entries have come to so far.
  private var totalSize = 0
  private var piece = UnsafeRawBufferPointer(start: nil, count: 0)
  private var failure: ZIPError?
  /// How many bytes the data of each entry takes in the archive, in the order of the entries: known when there are no more.
  package private(set) var compressedSizes: [Int] = []
  /// What is wrong with single entries, in the order in which it was found.
  public private(set) var faults: [ZIPError] = []

  /// Reads a stream. What is no archive shows when the first entry is asked for.
  public convenience init(_ source: some ByteSource, options: Options = Options()) {
    self.init(BlockWindow(source), nil, options)
  }

  /// Reads a file, whose directory is checked now.
  ///
  /// - Parameter file: a regular file, of which nothing has been read; any other is read as a stream.
  /// - Throws: what is wrong with the archive as a whole, as far as its directory and the headers before the data show it.
  public convenience init(_ file: FileSource, options: Options = Options()) throws(ZIPError) {
    guard let stored = StoredBytes(file) else {
      self.init(BlockWindow(file as any ByteSource), nil, options)
      return
    }
    try self.init(stored, options: options)
  }

  /// Reads what can be read from any place on, as a file.
  package convenience init(_ stored: StoredBytes, options: Options = Options()) throws(ZIPError) {
    self.init(BlockWindow(stored), try DirectoryCheck(stored, limits: options.limits), options)
  }

  private init(_ window: BlockWindow, _ check: DirectoryCheck?, _ options: Options) {
    self.options = options
    self.window = window
    self.check = check
    handle = ArchiveHandle(window)
  }

  /// Whether bytes (four of them are looked at) begin as a ZIP archive does.
  public static func isArchive(_ prefix: [UInt8]) -> Bool { ZIPLayout.isArchive(prefix) }

  /// Whether a file's name says that it is a ZIP archive: it ends in `.zip`, in letters of either case.
  public static func isNamed(by name: String) -> Bool { name.lowercased().hasSuffix(".zip") }

  /// All entries in their order, of what can be read from any place on.
  package var storedEntries: [StoredEntry] {
    guard let check else { return [] }
    return zip(check.directory.headers, check.locals).map(StoredEntry.init)
  }

  // MARK: Entries

  /// The next entry, in the order in which they stand in the archive; `nil` behind the last one, when the archive has been proved whole.
  ///
  /// What is left of the entry before is read, too.
  ///
  /// - Throws: what is wrong with the archive as a whole: `notZIP`, `truncated`, `corrupt`, `inconsistent`, `unsupported`, `limit`, `inputOutput`, `cancelled`;
  ///   and, unless they are noted, faults of the entry before and of this one.
  public func next() throws(ZIPError) -> ZIPEntry? {
    try orFail { () throws(ZIPError) in
      while try nextPiece() != nil {}
      return try nextEntry()
    }
  }

  /// Passes over what is left of the current entry's data: nobody checks it then. Of a file, stored data isn't even read.
  ///
  /// - Throws: as ``next()``, as far as it concerns the archive.
  public func skip() throws(ZIPError) {
    try orFail { () throws(ZIPError) in
      guard !isEntryRead else { return }
      isEntryRead = true
      current?.isRead = false
      if handle.skipData() == .broken { throw broken() }
    }
  }

  private func nextEntry() throws(ZIPError) -> ZIPEntry? {
    if isAtEnd { return nil }
    if let current {
      records.append(current)
      self.current = nil
    }
    if !isOpen {
      isOpen = true
      if handle.open() != .good { throw window.failure.map(ZIPError.init) ?? .notZIP }
    }
    let before = handle.position
    switch handle.nextHeader() {
    case .good: return try begin(try local(from: before))
    case .end:
      isAtEnd = true
      try finish()
      return nil
    case .failed, .broken: throw broken()
    }
  }

  /// The header that has just been read.
  private func local(from before: Int) throws(ZIPError) -> LocalHeader {
    let dataOffset = handle.position
    if let check {
      guard records.count < check.locals.count else { throw moreThanListed }
      let local = check.locals[records.count]
      guard local.offset + local.length == dataOffset else { throw moreThanListed }
      return local
    }
    if let local = window.localHeader(from: before, to: dataOffset) { return local }
    throw ZIPError(.corrupt, "the header before byte \(dataOffset) is damaged")
  }

  private var moreThanListed: ZIPError { ZIPError(.inconsistent, "an entry is not where the archive's directory has it") }

  private func begin(_ local: LocalHeader) throws(ZIPError) -> ZIPEntry {
    guard records.count < options.limits.entries else { throw .tooManyEntries(options.limits) }
    let central = check?.directory.headers[records.count]
    current = EntryRecord(local)
    isEntryRead = false
    let name = local.name.decoded
    if let fault = local.name.fault(lengthLimit: options.limits.nameLength) {
      try note(ZIPError(.unsafeName, fault, entry: name))
    } else if let text = local.name.text, let fault = names.fault(adding: text) {
      try note(ZIPError(.duplicateName, fault, entry: name))
    }
    // Each name may bring many: what is kept of them is bounded as what is kept of the entries.
    guard names.impliedFolderCount <= options.limits.entries else {
      throw ZIPError(.limit, "the archive has more than \(options.limits.entries) folders")
    }
    try note(central?.typeFault)
    let entry = ZIPEntry(
      name: local.name.text ?? name, size: central?.size ?? local.size,
      compressedSize: central?.compressedSize ?? local.compressedSize, offset: local.offset)
    if local.flags & (ZIPLayout.Flag.encrypted | ZIPLayout.Flag.strongEncryption) != 0 {
      try note(ZIPError(.encrypted, "the entry is encrypted", entry: name))
      try skip()
    } else if entry.isFolder, entry.size ?? 0 > 0 {
      throw ZIPError(.inconsistent, "the entry has a folder's name, and data", entry: name)
    }
    return entry
  }

  // MARK: Data

  /// The next bytes of the current entry; `nil` at its end. They stay until the reader is asked for anything else.
  package func nextPiece() throws(ZIPError) -> UnsafeRawBufferPointer? {
    try orFail { () throws(ZIPError) in
      while !isEntryRead, let record = current {
        switch handle.nextData(&piece) {
        case .good:
          if piece.isEmpty { continue }
          try take(piece)
          return piece
        case .end:
          isEntryRead = true
          try finishEntry()
        case .failed:
          isEntryRead = true
          current?.isRead = false
          try note(ZIPError(.unsupported, "the data can't be expanded: \(handle.message)", entry: record.local.name.decoded))
        case .broken: throw broken()
        }
      }
      return nil
    }
  }

  /// The current entry's data, from where reading it has come to; at its end, or once it can't be read any more, there is none.
  ///
  /// Reading it throws a `ByteStreamError` whose code is that of the `ZIPError`, which ``next()`` throws then, too.
  public var contents: some ByteSource { EntrySource(self) }

  private func take(_ piece: UnsafeRawBufferPointer) throws(ZIPError) {
    totalSize += piece.count
    let (declared, limits) = (declaredSize, options.limits)
    try current?.take(piece, declared: declared, position: handle.position, limits: limits)
    if totalSize > limits.size {
      throw ZIPError(.limit, "the archive's entries come to more than \(limits.size) bytes", entry: current?.local.name.decoded)
    }
  }

  private var declaredSize: Int? { check?.directory.headers[records.count].size ?? current?.local.size }

  private func finishEntry() throws(ZIPError) {
    guard let record = current else { return }
    if let central = check?.directory.headers[records.count] {
      try note(record.fault(size: central.size, checksum: central.checksum))
    } else if let size = record.local.size {
      try note(record.fault(size: size, checksum: record.local.checksum))
    }
  }

  // MARK: The end

  /// The archive has been read: of a stream, the directory is compared now.
  private func finish() throws(ZIPError) {
    if let check {
      guard records.count == check.locals.count else {
        throw ZIPError(.inconsistent, "the archive's directory has entries that are not there")
      }
      compressedSizes = check.directory.headers.map(\.compressedSize)
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
  }

  private func note(_ fault: ZIPError?) throws(ZIPError) {
    guard let fault else { return }
    if options.faults == .refused { throw fault }
    faults.append(fault)
  }

  /// The error for what libarchive could not go on with.
  private func broken() -> ZIPError {
    if let error = window.failure { return ZIPError(error) }
    let name = current?.local.name.decoded
    // Its words tell an end from damage.
    if window.isAtEnd, handle.message.hasPrefix("Truncated") {
      return ZIPError(.truncated, "the archive ends too early", entry: name)
    }
    return ZIPError(.corrupt, "the data is damaged: \(handle.message)", entry: name)
  }

  private func orFail<R>(_ body: () throws(ZIPError) -> R) throws(ZIPError) -> R {
    if let failure { throw failure }
    do throws(ZIPError) {
      return try body()
    } catch {
      failure = error
      throw error
    }
  }
}
