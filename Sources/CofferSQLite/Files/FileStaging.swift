import ByteStreams
import Coffer
import Failpoints
import Platform
import SystemPackage
import ZIPArchives

/// Makes one new set from an archive's files and the database's files.
///
///     archive's entry ──▶ identical to the database's file of this name? yes ──▶ linked ──▶ ┐
///                                                                        no ───▶ written ─▶ ├─▶ new set
///     database's other files (merging) ──────────────────────────────────────────▶ linked ─▶ ┘
///
/// If no file changes, no set is made, and the current set stays in use.
final class FileStaging {
  private let archive: BackupArchive
  private let sets: FileSets
  /// The current set, if any, and its files.
  private let current: String?
  private let files: [FileTree.File]
  private let isPreview: Bool
  private let cancellation: Cancellation?
  private let name = FileSets.newName()
  /// The new set, or `nil` until the first file is written.
  private var made: UnfinishedFolder?
  /// Files of the current set that the new set keeps.
  private var kept: [FileTree.File] = []
  private var names = EntryNames()
  private(set) var changes = DatabaseImportReport.FileChanges()

  init(
    _ archive: BackupArchive, in sets: FileSets, over current: String?, _ files: [FileTree.File], isPreview: Bool,
    _ cancellation: Cancellation?
  ) {
    self.archive = archive
    self.sets = sets
    self.current = current
    self.files = files
    self.isPreview = isPreview
    self.cancellation = cancellation
  }

  /// Reads all files, and writes those that differ, unless it's a preview.
  func gather(_ combination: FileCombination) throws {
    let current = Dictionary(files.map { ($0.name, $0) }) { $1 }
    var taken: Set<String> = []
    let reader = try archive.reader()
    while let entry = try reader.next() {
      try cancellation.check()
      guard let name = archive.fileName(of: entry.name) else {
        // The document is read elsewhere; entries that macOS adds aren't read.
        if !entry.isFolder { try reader.skip() }
        continue
      }
      try take(name, names.fault(adding: name))
      taken.insert(name)
      if let file = current[name], combination == .keepingExisting {
        kept.append(file)
      } else {
        try add(entry, named: name, reader, current[name])
      }
    }
    let others = files.filter { !taken.contains($0.name) }
    if combination == .replacing {
      changes.removed = others.count
    } else {
      for file in others {
        try take(file.name, names.fault(adding: file.name))
        kept.append(file)
      }
    }
    changes.kept = kept.count
  }

  private func take(_ name: String, _ fault: String?) throws(CofferError) {
    guard let fault else { return }
    throw CofferError(.duplicateName, "\(name.printable): together with the existing files, \(fault)")
  }

  // MARK: One file

  private func add(_ entry: ZIPEntry, named name: String, _ reader: ZIPReader, _ existing: FileTree.File?) throws {
    var same = 0
    var differing = UnsafeRawBufferPointer(start: nil, count: 0)
    if let existing, entry.size == existing.size, let other = try? FileSource(path: existing.path) {
      guard let piece = try firstDifference(reader, other, &same) else { return kept.append(existing) }
      differing = piece
    }
    if existing == nil { changes.added += 1 } else { changes.replaced += 1 }
    // In a preview, reading the next entry reads the rest of this one and verifies it.
    if isPreview { return }
    var file = try folder().makeFile(name)
    if let existing { try copyStart(of: existing, same, to: &file) }
    if !differing.isEmpty { try file.write(differing) }
    while let piece = try reader.nextPiece() {
      try cancellation.check()
      try file.write(piece)
    }
  }

  /// Returns the entry's first piece that differs from the file, or `nil` if they are identical.
  ///
  /// - Parameter same: the number of identical bytes before that piece.
  private func firstDifference(_ reader: ZIPReader, _ other: FileSource, _ same: inout Int) throws -> UnsafeRawBufferPointer? {
    var other = other
    while let piece = try reader.nextPiece() {
      try cancellation.check()
      let bytes = try other.readPrefix(piece.count)
      guard bytes.count == piece.count, Self.areEqual(bytes, piece) else { return piece }
      same += piece.count
    }
    return nil
  }

  private static func areEqual(_ bytes: [UInt8], _ piece: UnsafeRawBufferPointer) -> Bool {
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, let other = piece.baseAddress else { return piece.isEmpty }
      return memcmp(start, other, piece.count) == 0
    }
  }

  private func copyStart(of file: FileTree.File, _ count: Int, to sink: inout FileSink) throws {
    var source = try FileSource(path: file.path)
    var rest = count
    while rest > 0 {
      try cancellation.check()
      let piece = try source.readPrefix(min(rest, 1 << 18))
      guard !piece.isEmpty else { throw CofferError(.filesDamaged, "\(file.path) changed while it was being read") }
      try sink.write(piece)
      rest -= piece.count
    }
  }

  // MARK: The set

  private func folder() throws -> UnfinishedFolder {
    if let made { return made }
    let folder = try sets.makeSet(name)
    made = folder
    return folder
  }

  /// Completes the set.
  func finish() throws -> StagedFiles {
    if made == nil {
      if kept.count == files.count { return StagedFiles(files.isEmpty ? nil : current, in: sets, isNew: false, changes) }
      if kept.isEmpty { return StagedFiles(nil, in: sets, isNew: false, changes) }
    }
    let folder = try folder()
    for file in kept {
      try cancellation.check()
      try folder.addFile(file.name, as: file.path, cancellation: cancellation)
    }
    try reach { () throws(Errno) in try Failpoint.reach(.beforePhotosSwap) }
    let staged = StagedFiles(name, in: sets, isNew: true, changes)
    try folder.commit()
    try reach { () throws(Errno) in try Failpoint.reach(.afterPhotosSwap) }
    return staged
  }

  private func reach(_ body: () throws(Errno) -> Void) throws(CofferError) {
    do throws(Errno) { try body() } catch {
      throw CofferError(error, verb: "make", name: sets.folder.appending(name).string)
    }
  }
}
