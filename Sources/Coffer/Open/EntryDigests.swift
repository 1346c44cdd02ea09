import Digests
import Pipelines
import Rules

/// Computes digests of entries' bytes, on other threads than the reading one.
///
///     reader ─▶ │ piece │ piece │ ─▶ thread 0: entries 0, 2, 4 …
///            └▶ │ piece │ ─▶ thread 1: entries 1, 3, 5 …
///
/// Memory: a few MiB of pieces in transit, and the digests.
final class EntryDigests {
  private let algorithms: [DigestAlgorithm]
  private var workers: [Channel<Piece>] = []
  private var results: [Channel<[Int: [DigestAlgorithm: String]]>] = []
  /// Used if there are no worker threads.
  private var local: EntryDigester
  private var entry = -1

  struct Piece: Sendable {
    var entry: Int
    /// Empty: the entry has ended.
    var bytes: [UInt8]
  }

  /// - Parameter jobs: the maximum number of threads, including the caller's.
  init(_ algorithms: Set<DigestAlgorithm>, jobs: Int) {
    self.algorithms = algorithms.sorted { $0.rawValue < $1.rawValue }
    local = EntryDigester(self.algorithms)
    guard !algorithms.isEmpty else { return }
    // More threads would only wait for the one that reads.
    for _ in 0..<min(jobs - 1, 4) {
      let pieces = Channel<Piece>(capacity: 8)
      let result = Channel<[Int: [DigestAlgorithm: String]]>(capacity: 1)
      let work: @Sendable () -> Void = { [algorithms = self.algorithms] in
        var digester = EntryDigester(algorithms)
        while let piece = try? pieces.receiveWaiting() { digester.consume(piece) }
        _ = result.sendWaiting(digester.digests)
        result.finish()
      }
      // If the system provides no more threads, the existing ones do the work.
      guard (try? BlockingWork.start(work)) != nil else { break }
      workers.append(pieces)
      results.append(result)
    }
  }

  deinit { for worker in workers { worker.close() } }

  /// Begins the next entry.
  /// - Returns: its number.
  func begin() -> Int {
    entry += 1
    return entry
  }

  func add(_ bytes: UnsafeRawBufferPointer) {
    guard !algorithms.isEmpty, !bytes.isEmpty else { return }
    send(Piece(entry: entry, bytes: Array(bytes)))
  }

  func end() {
    if !algorithms.isEmpty { send(Piece(entry: entry, bytes: [])) }
  }

  private func send(_ piece: Piece) {
    if workers.isEmpty { return local.consume(piece) }
    _ = workers[piece.entry % workers.count].sendWaiting(piece)
  }

  /// Ends adding, and returns the digests of all entries by number.
  func finish() -> [Int: [DigestAlgorithm: String]] {
    for worker in workers { worker.finish() }
    var digests = local.digests
    for result in results { if let found = try? result.receiveWaiting() { digests.merge(found) { $1 } } }
    return digests
  }
}

/// Computes the digests of one entry after the other.
struct EntryDigester: ~Copyable {
  private var md5: MessageDigest?
  private var sha256: MessageDigest?
  private let algorithms: [DigestAlgorithm]
  private(set) var digests: [Int: [DigestAlgorithm: String]] = [:]

  init(_ algorithms: [DigestAlgorithm]) {
    self.algorithms = algorithms
    begin()
  }

  private mutating func begin() {
    md5 = algorithms.contains(.md5) ? MessageDigest(.md5) : nil
    sha256 = algorithms.contains(.sha256) ? MessageDigest(.sha256) : nil
  }

  mutating func consume(_ piece: EntryDigests.Piece) {
    if piece.bytes.isEmpty {
      digests[piece.entry] = finish()
      return
    }
    piece.bytes.withUnsafeBytes { add($0) }
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    md5?.update(bytes)
    sha256?.update(bytes)
  }

  /// Returns the digests of the bytes so far; another entry may follow.
  mutating func finish() -> [DigestAlgorithm: String] {
    var digests: [DigestAlgorithm: String] = [:]
    digests[.md5] = md5.take()?.finish()
    digests[.sha256] = sha256.take()?.finish()
    begin()
    return digests
  }
}
