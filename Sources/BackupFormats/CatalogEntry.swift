import ByteStreams
import JSONEvents
import Rules
import Synchronization

/// A format of a catalog. One that ships with Coffer is read when it is first asked for: most runs need one of them.
final class CatalogEntry: Sendable {
  let name: String
  /// What a document must show to be taken for this format; `nil`: it is never detected, only named.
  let detection: Clue?
  /// The places that the clues of the format ask about.
  let cluePaths: Set<String>
  private let parsed: Mutex<BackupFormat?>

  init(_ format: BackupFormat) {
    name = format.name
    detection = format.detection
    cluePaths = format.cluePaths
    parsed = Mutex(format)
  }

  /// An embedded descriptor.
  ///
  /// - Throws: what its clues have wrong.
  init(builtIn name: String) throws {
    // `backup` is the first large member of each descriptor: little more than it is read.
    let source = MemorySource(EmbeddedFile.format(name), chunkSize: 4096)
    guard let backup = try JSONValue.read(member: "backup", of: source) else {
      preconditionFailure("the descriptor \(name) has no backup")
    }
    self.name = name
    detection = try backup["detect"].map { try Clue($0, at: "/backup/detect") }
    let dialects = (backup["dialects"]?.array ?? []).compactMap { $0["detect"] }
    let migrations = (backup["migrations"]?.array ?? []).compactMap { $0["when"] }
    cluePaths = try (dialects + migrations).reduce(into: detection?.paths ?? []) {
      $0.formUnion(try Clue($1, at: "/backup").paths)
    }
    parsed = Mutex(nil)
  }

  /// The format. Cost: the first call reads an embedded descriptor, 3 to 30 kB of JSON.
  var format: BackupFormat {
    parsed.withLock { parsed in
      if let parsed { return parsed }
      do {
        let format = try BackupFormat(descriptor: String(decoding: EmbeddedFile.format(name), as: UTF8.self))
        parsed = format
        return format
      } catch { preconditionFailure("the descriptor \(name) is part of Coffer, and wrong: \(error)") }
    }
  }
}
