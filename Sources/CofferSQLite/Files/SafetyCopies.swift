import ByteStreams
import Coffer
import Failpoints
import GRDB
import Pipelines
import Platform
import Rules
import SystemPackage

/// Copies of a database from before each import, next to it. The newest three are kept.
struct SafetyCopies {
  static let kept = 3

  private let target: DatabaseTarget

  init(of target: DatabaseTarget) { self.target = target }

  /// Copies the last committed state of the database, with its files.
  ///
  /// The import's transaction blocks all other writers meanwhile, so the copy is complete.
  ///
  /// Cost: a copy of the database, and a link per file. Memory: SQLite's own.
  /// - Parameter files: the set that the database names.
  /// - Throws: `CofferError`, `CancellationError`. There is no new copy in that case.
  func make(files: String?, now: Instant, cancellation: Cancellation?) throws -> FilePath {
    let unfinished = target.unfinishedCopyPath
    var placed: FilePath?
    do {
      try DatabaseFile.remove(unfinished)
      try copy(to: unfinished, cancellation)
      let path = try place(unfinished, files, now, cancellation)
      placed = path
      do {
        try target.syncFolder()
        try Failpoint.reach(.afterSafetyCopy)
      } catch {
        throw CofferError(error, verb: "sync the folder of", name: path.string)
      }
      return path
    } catch {
      _ = try? DatabaseFile.remove(unfinished)
      if let placed { remove(placed) }
      throw error
    }
  }

  /// Removes a copy: its database first, so that no copy lacks its files.
  func remove(_ copy: FilePath) {
    _ = try? DatabaseFile.remove(copy)
    FileSets(ofDatabase: copy).removeAll()
  }

  /// Writes the copy, and reads it back while it is synced to the disk.
  private func copy(to path: FilePath, _ cancellation: Cancellation?) throws {
    do {
      let source = try DatabaseQueue(target.path, named: name, cancellation)
      try DatabaseFile.create(path, like: target.path)
      // An unfinished copy is removed, so it needs no journal, whose creation could fail.
      let copy = try DatabaseQueue(
        path, pragmas: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", named: name)
      do {
        try source.backup(to: copy, pagesPerStep: 4096) { _ in try cancellation.check() }
      } catch let error as DatabaseError {
        // The copy's connection has the system error, such as a full disk.
        try copy.writeWithoutTransaction { try $0.reporting(as: name) { throw error } }
      }
      try copy.close()
      try source.close()
      try DatabaseFile.endWriteAheadLog(path)
      let sync = SideWork { try DatabaseFile.sync(path) }
      let proof = Result { try prove(path) }
      try sync.result().get()
      try proof.get()
    } catch let error as DatabaseError {
      throw CofferError(error, database: name, systemError: errno)
    }
  }

  /// The copy's name in messages.
  private var name: String { "the safety copy of \(target.path)" }

  private func prove(_ path: FilePath) throws {
    let finished = try DatabaseQueue(path, isReadOnly: true, named: name)
    do {
      try finished.read { try $0.checkIntegrity() }
    } catch let error as CofferError {
      throw CofferError(error.code, "\(target.path) can't be copied: \(error.message)")
    }
    try finished.close()
  }

  /// Gives a finished copy its name. Its files come first, so that no copy lacks its files.
  private func place(
    _ unfinished: FilePath, _ files: String?, _ now: Instant, _ cancellation: Cancellation?
  ) throws -> FilePath {
    let time = Instant(seconds: now.seconds).description.filter { $0 != "-" && $0 != ":" }
    for number in 1...1000 {
      let path = target.folder.appending("\(prefix)\(time)\(number == 1 ? "" : "-\(number)").sqlite")
      if access(path.string, F_OK) == 0 { continue }
      let sets = FileSets(ofDatabase: path)
      // A killed run may have left them.
      sets.removeAll()
      do {
        // Files that are already missing can't be copied, and must not prevent an import that replaces them.
        if let files, (try? FileSets(ofDatabase: target.path).folder(of: files)) != nil {
          try FileSets(ofDatabase: target.path).copy(files, to: sets, cancellation: cancellation)
        }
        if try DatabaseFile.place(unfinished, as: path) {
          unlink(unfinished.string)
          return path
        }
      } catch {
        sets.removeAll()
        throw error
      }
      sets.removeAll()
    }
    throw CofferError(.conflict, "too many safety copies of \(target.path) within one second")
  }

  private var prefix: String { "\(target.name).before-import-" }

  /// Removes all but the newest copies, with their files. A copy that can't be removed is left to the next import.
  ///
  /// - Parameter newest: the copy just made, which stays even if others have later dates.
  func trim(keeping newest: FilePath?) {
    guard let listed = FolderNames(target.folder) else { return }
    let newest = newest?.lastComponent?.string
    let copies = listed.names.compactMap { name -> (name: String, order: [Int])? in
      order(of: name).map { (name, $0) }
    }
    for copy in copies.sorted(by: { $1.order.lexicographicallyPrecedes($0.order) }).filter({ $0.name != newest }).dropFirst(
      newest == nil ? Self.kept : Self.kept - 1)
    {
      remove(target.folder.appending(copy.name))
    }
    // Files of a copy that a killed run didn't finish making or removing.
    let names = Set(listed.names)
    for name in names where name.hasSuffix(".files") {
      let owner = String(name.dropLast(6))
      if order(of: owner) != nil, !names.contains(owner) { FileSets(ofDatabase: target.folder.appending(owner)).removeAll() }
    }
  }

  /// Returns the time and the number in a copy's name, or `nil` if it isn't the name of a copy.
  private func order(of name: String) -> [Int]? {
    guard name.hasPrefix(prefix), name.hasSuffix(".sqlite") else { return nil }
    let text = name.dropFirst(prefix.count).dropLast(7)
    guard let match = text.wholeMatch(of: /([0-9]{8})T([0-9]{6})Z(?:-([0-9]{1,4}))?/) else { return nil }
    return [Int(match.1), Int(match.2), match.3.map { Int($0) } ?? 1].compactMap(\.self)
  }
}
