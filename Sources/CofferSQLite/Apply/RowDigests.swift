import ByteStreams
import Foundation
import GRDB
import JSONEvents
import Rules

/// Computes the digests of rows as records, one by one. Rows with equal digests have equal values.
///
/// Cost: that of exporting and comparing the rows. Memory: about 300 KiB plus twice the largest record.
final class RowDigests {
  private let source: RowArray
  private var reader: JSONEventReader
  private var digester: RecordDigester
  private var digests: [KeyValue] = []
  private var position = 0
  /// The number of open brackets, including the array's own.
  private var depth = 0

  /// The key of all digests. It is random for each process, so no document can be crafted to cause collisions.
  private static let key = SipHash128.Key.random()

  init(_ rows: consuming RowText) {
    source = RowArray(rows)
    reader = JSONEventReader(source, limits: .stored)
    digester = RecordDigester(key: Self.key)
  }

  /// - Returns: `nil` after the last row.
  /// - Throws: `CofferError`, `DatabaseError`.
  func next() throws -> KeyValue? {
    while position == digests.count {
      digests.removeAll(keepingCapacity: true)
      position = 0
      do {
        guard try reader.next() else { return nil }
      } catch {
        throw source.failure
          ?? CofferError(.damagedDatabase, "a row of \(source.title) can't be read as a record: \(error)")
      }
      takeBatch()
    }
    position += 1
    return digests[position - 1]
  }

  private func takeBatch() {
    var start = 0
    for index in 0..<reader.batch.count {
      switch reader.batch[index].kind {
      case .objectStart, .arrayStart:
        depth += 1
        if depth == 1 { start = index + 1 }
      case .objectEnd, .arrayEnd:
        depth -= 1
        if depth == 0 { return take(start..<index) }
      default: break
      }
    }
    take(start..<reader.batch.count)
  }

  private func take(_ range: Range<Int>) {
    digester.take(reader.batch, range) { digests.append($0.value) }
  }
}

/// The rows as one JSON array.
private final class RowArray: ByteSource {
  private var rows: RowText
  private var pen = Pen(capacity: pieceSize)
  private var position = 0
  private var isComplete = false
  private(set) var failure: (any Error)?

  private static let pieceSize = 64 << 10

  init(_ rows: consuming RowText) {
    self.rows = rows
    pen.put(UInt8(ascii: "["))
  }

  var title: String { rows.table.title }

  func read(into target: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    while position == pen.count, !isComplete {
      pen.removeAll()
      position = 0
      do {
        isComplete = try !rows.append(to: &pen, upTo: Self.pieceSize)
      } catch {
        failure = error
        throw CofferError(.inputOutput, "\(error)")
      }
      if isComplete {
        pen.reserve(1)
        pen.put(UInt8(ascii: "]"))
      }
    }
    return pen.copy(from: &position, to: target)
  }
}

extension KeyValue {
  /// The digest's bytes for SQLite.
  var bytes: Data {
    var bytes = Data([form.rawValue])
    for word in [low, high] { withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) } }
    return bytes
  }
}
