package import ByteStreams

/// Divides operations on keys among buckets by their keys, for other processes to decide: all operations on a key are in one bucket.
///
/// Memory: up to 64 KiB per bucket, of at most 16 MiB.
package final class KeyRowWriter {
  private let seed: UInt64
  private let chunkSize: Int
  private var chunks = UniqueArray<RecordBuffer>()
  private var coders: [KeyRecordCoder]
  private let write: (_ bucket: Int, _ rows: UnsafeRawBufferPointer) throws(CofferError) -> Void

  /// The most buckets.
  package static let bucketLimit = 1 << 12

  /// - Parameters:
  ///   - bucketCount: at most ``bucketLimit``.
  ///   - key: must be the same in all processes.
  ///   - write: takes rows of a bucket that can be decoded separately. They are in order within a bucket.
  package init(
    bucketCount: Int, key: SipHash128.Key,
    write: @escaping (_ bucket: Int, _ rows: UnsafeRawBufferPointer) throws(CofferError) -> Void
  ) {
    // Tables and partitions use other bits.
    seed = ~(key.low ^ key.high)
    chunkSize = min(1 << 16, (16 << 20) / bucketCount)
    chunks = UniqueArray(capacity: bucketCount)
    for _ in 0..<bucketCount { chunks.append(RecordBuffer()) }
    coders = Array(repeating: KeyRecordCoder(), count: bucketCount)
    self.write = write
  }

  func append(_ record: KeyRecord) throws(CofferError) {
    let bucket = Int(SpilledKey(record.key, in: record.set, seed: seed).hash % UInt64(coders.count))
    coders[bucket].encode(record, into: &chunks[bucket])
    if chunks[bucket].count >= chunkSize { try end(bucket) }
  }

  /// Writes all rows, so that those that follow are written separately.
  package func flush() throws(CofferError) {
    for bucket in coders.indices where chunks[bucket].count > 0 { try end(bucket) }
  }

  private func end(_ bucket: Int) throws(CofferError) {
    try chunks[bucket].withBytes { bytes throws(CofferError) in try write(bucket, bytes) }
    chunks[bucket].removeAll()
    coders[bucket] = KeyRecordCoder()
  }
}
