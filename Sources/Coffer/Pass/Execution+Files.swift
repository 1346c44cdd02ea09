package import ByteStreams
import Pipelines

extension Execution {
  /// The size up to which files are read several at a time.
  private static let smallFile = 8 << 20
  /// What a thread takes at once: handing a tiny file to another thread takes as long as reading it.
  private static let pieceSize = 64 << 10
  private static let pieceCount = 64

  /// Returns the results of `body` for each file, in their order. If there are several, the progress is that of all, and names the
  /// latest.
  ///
  /// Small files are read on all threads, each on one. Any other file has all threads.
  ///
  /// - Parameters:
  ///   - files: the files; a size is `nil` for a stream.
  ///   - body: gets the number of a file, and the execution with the number of threads for it.
  package func results<R: Sendable>(
    for files: [(name: String, size: Int?)], _ body: @escaping @Sendable (Int, Execution) throws -> R
  ) throws -> [R] {
    if files.count == 1 { return [try body(0, self)] }
    progress?.begin(byteCount: files.contains { $0.size == nil } ? nil : files.reduce(0) { $0 &+ ($1.size ?? 0) })
    func begin(_ number: Int) {
      progress?.say("\(files[number].name) (\(number + 1) of \(files.count))")
    }
    var onOneThread = self
    onOneThread.jobs = 1
    let small = onOneThread
    var results: [R] = []
    results.reserveCapacity(files.count)
    var rest = files.indices
    while let first = rest.first {
      var run = jobs == 1 ? rest.prefix(1) : rest.prefix { files[$0].size.map { $0 <= Self.smallFile } ?? false }
      if run.count < 2 {
        begin(first)
        results.append(try body(first, self))
        rest = rest.dropFirst()
        continue
      }
      rest = rest.dropFirst(run.count)
      func nextPiece() -> Range<Int>? {
        guard let first = run.first else { return nil }
        begin(first)
        var room = Self.pieceSize
        let piece = run.prefix(Self.pieceCount).prefix { number in
          room -= files[number].size ?? 0
          return number == first || room >= 0
        }
        run = run.dropFirst(piece.count)
        return piece
      }
      // A worker may be the first to compile the rules of a format, which recurses.
      _ = try OrderedPipeline(jobs: min(jobs, run.count), stackSize: BlockingWork.stackSize).run(
        next: nextPiece,
        makeWorker: { { piece in Result { try piece.map { try body($0, small) } } } },
        merge: { _, piece in
          results += try piece.get()
          return .more
        })
    }
    return results
  }
}
