package import ByteStreams
import Pipelines

extension Execution {
  /// The size up to which files are read several at a time.
  private static let smallFile = 8 << 20
  /// What a thread takes at once, in stored bytes and in files: handing a tiny file to another thread takes as long as reading it.
  private static let pieceSize = 64 << 10
  private static let pieceCount = 64

  /// Returns the results of `body` for each file, in their order. If there are several, the progress is that of all, and names the
  /// first of those that were handed to a thread last.
  ///
  /// Small files are read on all threads, each on one; tiny ones are handed to a thread by the dozen. Any other file has all threads.
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
      let run = jobs == 1 ? rest.prefix(1) : rest.prefix { files[$0].size.map { $0 <= Self.smallFile } ?? false }
      if run.count < 2 {
        begin(first)
        results.append(try body(first, self))
        rest = rest.dropFirst()
        continue
      }
      rest = rest.dropFirst(run.count)
      var pieces = Self.pieces(of: run) { files[$0].size ?? 0 }[...]
      // A worker may be the first to compile the rules of a format, which recurses.
      _ = try OrderedPipeline(jobs: min(jobs, pieces.count), stackSize: BlockingWork.stackSize).run(
        next: {
          let piece = pieces.popFirst()
          if let piece { begin(piece.lowerBound) }
          return piece
        },
        makeWorker: { { piece in Result { try piece.map { try body($0, small) } } } },
        merge: { _, piece in
          results += try piece.get()
          return .more
        })
    }
    return results
  }

  /// Cuts a run of files into what threads take at once. Every piece has at least one file.
  static func pieces(of run: Range<Int>, size: (Int) -> Int) -> [Range<Int>] {
    var pieces: [Range<Int>] = []
    var room = 0
    for number in run {
      let size = size(number)
      if let last = pieces.last, last.count < pieceCount, size <= room {
        pieces[pieces.count - 1] = last.lowerBound..<number + 1
        room -= size
      } else {
        pieces.append(number..<number + 1)
        room = max(0, pieceSize - size)
      }
    }
    return pieces
  }
}
