package import ByteStreams
import Findings
import JSONEvents
import Rules
import ZIPArchives

/// Operations on keys on their way to the processes that decide them, as frames.
///
///     | "CofKeys1" | SHA-256 digest of the plan, 32 bytes | task | bucket | number of buckets | number | length | CRC-32 | payload |
///       payload      | file | kind | start, 8 bytes | rows |        other numbers have 4 bytes, the lowest first
///
/// Frames of a task and a bucket have consecutive numbers from 0, and the last one has no payload. So frames can be stored and sorted
/// in any way: a lost one is noticed. The merging process, which has the operations in envelopes, counts as another task.
///
/// Rows of a file are in document order if their frames are in the order of their starts, and then of their numbers. `KeyRecordCoder`
/// describes them.
struct KeyRowFrame {
  enum Kind: Int {
    case rows
    /// Rows that the merging process wrote from the place on where a task failed. They replace the rows of tasks from there on.
    case rest
  }

  var task: Int
  var bucket: Int
  var bucketCount: Int
  var number: Int
  var length: Int
  var checksum: UInt32

  static let magic = Array("CofKeys1".utf8)
  static let headerSize = 64
  static let payloadHeaderSize = 16
  /// The largest payload that is read.
  static let lengthLimit = 1 << 24

  func header(_ digest: [UInt8]) -> [UInt8] {
    Self.magic + digest + [task, bucket, bucketCount, number, length, Int(checksum)].flatMap { Self.bytes($0, count: 4) }
  }

  static func bytes(_ number: Int, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  static func number(_ bytes: some Collection<UInt8>) -> Int {
    Int(truncatingIfNeeded: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}

extension KeyRowFrame {
  /// Reads a header, or returns `nil` if it isn't one.
  init?(_ header: [UInt8]) {
    guard header.count == Self.headerSize, header.starts(with: Self.magic) else { return nil }
    let numbers = (0..<6).map { Self.number(header[40 + 4 * $0..<44 + 4 * $0]) }
    (task, bucket, bucketCount, number) = (numbers[0], numbers[1], numbers[2], numbers[3])
    (length, checksum) = (numbers[4], UInt32(truncatingIfNeeded: numbers[5]))
  }
}

/// Writes the frames of a task.
final class KeyRowFileWriter<Sink: ByteSink> {
  private var sink: Sink
  private let digest: [UInt8]
  private let task: Int
  private var numbers: [Int]
  private var payloadHeader: [UInt8] = []

  /// - Parameters:
  ///   - digest: the plan's digest, in hexadecimal digits.
  ///   - task: the task's number; that of the merging process follows those of the tasks.
  init(_ plan: SplitPlan, digest: String, task: Int, to sink: Sink) {
    self.sink = sink
    self.digest = SplitPlan.digestBytes(digest)
    self.task = task
    numbers = Array(repeating: 0, count: plan.options.keyBuckets)
  }

  /// Returns the writer for the rows of a file. Call `begin` first: it sets the place of the rows.
  func rows(_ key: SipHash128.Key) -> KeyRowWriter {
    KeyRowWriter(bucketCount: numbers.count, key: key) { [self] bucket, rows throws(CofferError) in
      try write(bucket, payloadHeader + Array(rows))
    }
  }

  /// Sets the place of the rows that are flushed next.
  func begin(file: Int, at offset: Int, _ kind: KeyRowFrame.Kind = .rows) {
    payloadHeader =
      KeyRowFrame.bytes(file, count: 4) + KeyRowFrame.bytes(kind.rawValue, count: 4)
      + KeyRowFrame.bytes(offset, count: 8)
  }

  /// Writes frames without rows, so that every bucket has the kind and the place.
  func writeMarks() throws(CofferError) {
    for bucket in numbers.indices { try write(bucket, payloadHeader) }
  }

  /// Ends the rows of all buckets, and returns the sink.
  func finish() throws(CofferError) -> Sink {
    for bucket in numbers.indices { try write(bucket, []) }
    return sink
  }

  private func write(_ bucket: Int, _ payload: [UInt8]) throws(CofferError) {
    let frame = KeyRowFrame(
      task: task, bucket: bucket, bucketCount: numbers.count, number: numbers[bucket], length: payload.count,
      checksum: CRC32(of: payload).value)
    try sink.write(frame.header(digest))
    try sink.write(payload)
    numbers[bucket] += 1
  }
}

/// The frames of one bucket, in document order.
struct KeyRowFrames {
  private struct Entry {
    let input: Int
    let offset: Int
    let frame: KeyRowFrame
    let file: Int
    let kind: KeyRowFrame.Kind
    let start: Int
  }

  private let inputs: [StoredBytes]
  private var entries: [Entry] = []

  /// Finds the frames in files with frames of any buckets.
  ///
  /// - Throws: `planMismatch` if a frame belongs to another plan, missing or repeated; `damagedPartial`; errors of reading.
  init(_ inputs: [StoredBytes], of plan: SplitPlan, digest: String, bucket: Int) throws(CofferError) {
    self.inputs = inputs
    let digest = SplitPlan.digestBytes(digest)
    for (number, input) in inputs.enumerated() {
      var offset = 0
      while offset < input.byteCount {
        let header = try Self.read(input, at: offset, count: KeyRowFrame.headerSize)
        guard let frame = KeyRowFrame(header), frame.length <= KeyRowFrame.lengthLimit,
          offset + KeyRowFrame.headerSize + frame.length <= input.byteCount
        else { throw Self.damaged(input.name) }
        guard header[8..<40].elementsEqual(digest), frame.bucketCount == plan.options.keyBuckets else {
          throw CofferError(.planMismatch, "\(input.name) belongs to another plan")
        }
        guard frame.bucket < frame.bucketCount, frame.task <= plan.tasks.count else { throw Self.damaged(input.name) }
        if frame.bucket == bucket { try add(frame, number, at: offset + KeyRowFrame.headerSize, plan) }
        offset += KeyRowFrame.headerSize + frame.length
      }
    }
    try checkIsComplete(plan, bucket)
  }

  private mutating func add(_ frame: KeyRowFrame, _ input: Int, at offset: Int, _ plan: SplitPlan) throws(CofferError) {
    var (file, kind, start) = (0, KeyRowFrame.Kind.rows, 0)
    if frame.length > 0 {
      let head = try Self.read(inputs[input], at: offset, count: KeyRowFrame.payloadHeaderSize)
      guard head.count == KeyRowFrame.payloadHeaderSize, frame.length >= head.count,
        let known = KeyRowFrame.Kind(rawValue: KeyRowFrame.number(head[4..<8])),
        plan.files.indices.contains(KeyRowFrame.number(head[0..<4]))
      else { throw Self.damaged(inputs[input].name) }
      (file, kind, start) = (KeyRowFrame.number(head[0..<4]), known, KeyRowFrame.number(head[8..<16]))
    }
    entries.append(Entry(input: input, offset: offset, frame: frame, file: file, kind: kind, start: start))
  }

  private func checkIsComplete(_ plan: SplitPlan, _ bucket: Int) throws(CofferError) {
    let sorted = entries.sorted { ($0.frame.task, $0.frame.number) < ($1.frame.task, $1.frame.number) }[...]
    var rest = sorted
    for task in 0...plan.tasks.count {
      let frames = rest.prefix { $0.frame.task == task }
      rest = rest.dropFirst(frames.count)
      let source = task == plan.tasks.count ? "the merging process" : "task \(task)"
      guard let last = frames.last, last.frame.length == 0 else {
        throw CofferError(.planMismatch, "rows of \(source) are missing in bucket \(bucket)")
      }
      for (number, entry) in frames.enumerated() where entry.frame.number != number {
        let fault = entry.frame.number < number ? "repeated" : "missing"
        throw CofferError(.planMismatch, "rows of \(source) are \(fault) in bucket \(bucket)")
      }
    }
  }

  /// Calls `body` with the rows of a file, in document order.
  func forEach(of file: Int, _ body: ([UInt8]) throws -> Void) throws {
    let ofFile = entries.filter { $0.file == file && $0.frame.length > 0 }.sorted {
      ($0.start, $0.frame.task, $0.frame.number) < ($1.start, $1.frame.task, $1.frame.number)
    }
    let end = ofFile.first { $0.kind == .rest }?.start ?? .max
    for entry in ofFile where entry.kind == .rest || entry.start < end {
      let payload = try Self.read(inputs[entry.input], at: entry.offset, count: entry.frame.length)
      guard payload.count == entry.frame.length, CRC32(of: payload).value == entry.frame.checksum else {
        throw Self.damaged(inputs[entry.input].name)
      }
      do {
        try body(Array(payload.dropFirst(KeyRowFrame.payloadHeaderSize)))
      } catch CofferError.Code.damagedPartial {
        throw Self.damaged(inputs[entry.input].name)
      }
    }
  }

  private static func read(_ input: StoredBytes, at offset: Int, count: Int) throws(CofferError) -> [UInt8] {
    var source = StoredSource(input, offset..<min(input.byteCount, offset + count))
    return try source.readPrefix(count)
  }

  private static func damaged(_ name: String) -> CofferError {
    CofferError(.damagedPartial, "\(name) does not contain rows about keys, or is damaged")
  }
}

extension SplitPlan {
  /// The bytes of a digest in hexadecimal digits.
  static func digestBytes(_ digest: String) -> [UInt8] {
    let digits = Array(digest)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
  }
}

/// Decides the operations on keys in one bucket: finds the duplicate keys and the dangling references.
package struct KeyBucket {
  private let plan: SplitPlan
  private let digest: String
  private let validator: Validator
  private let bucket: Int

  /// - Parameters:
  ///   - digest: the plan's digest.
  ///   - validator: has the rules and options of the plan.
  /// - Throws: `planMismatch` if the plan has no such bucket.
  package init(_ bucket: Int, of plan: SplitPlan, digest: String, _ validator: Validator) throws(CofferError) {
    guard (0..<plan.options.keyBuckets).contains(bucket) else {
      throw CofferError(.planMismatch, "there is no bucket \(bucket): the plan has buckets 0 to \(plan.options.keyBuckets - 1)")
    }
    self.plan = plan
    self.digest = digest
    self.validator = validator
    self.bucket = bucket
  }

  /// Writes the violations among rows.
  ///
  /// - Parameter inputs: files with all frames of the bucket. They may have others, too.
  /// - Throws: `planMismatch` if a frame belongs to another plan, missing or repeated; `damagedPartial`; errors of reading;
  ///   `CancellationError`.
  package func decide(_ inputs: [StoredBytes], to sink: inout some ByteSink) throws {
    let frames = try KeyRowFrames(inputs, of: plan, digest: digest, bucket: bucket)
    var file = ChunkedWriter(to: sink)
    try file.write(json: KeyViolations.Head(plan: digest, bucket: bucket))
    for (number, planned) in plan.files.enumerated() where !planned.gaps.isEmpty {
      var result = ValidatedDocument(report: planned.report)
      let evaluator = try validator.pass(over: planned, &result).consumer
      var join = KeyJoin(evaluator.program, evaluator.options)
      try frames.forEach(of: number) { rows in
        try validator.options.execution.cancellation.check()
        try join.append(rows)
      }
      try file.write { sink throws(CofferError) in try join.finish(to: &sink) }
    }
    sink = try file.finish()
  }
}

/// The violations in all buckets. The file of one has a head, and the result of a `KeyJoin` for each file of the plan that is cut.
struct KeyViolations {
  struct Head: Codable {
    var formatVersion = 1
    /// The SHA-256 digest of the plan.
    var plan: String
    var bucket: Int
  }

  private var readers: [ChunkedReader] = []

  /// - Throws: `planMismatch` if a bucket belongs to another plan, missing or repeated; `damagedPartial`; errors of reading.
  init(_ files: [(name: String, source: any ByteSource)], of plan: SplitPlan, digest: String) throws(CofferError) {
    var names: [Int: String] = [:]
    for file in files {
      var reader = try ChunkedReader(file.source, named: file.name, damaged: Self.damaged(file.name))
      let head: Head = try reader.readJSON()
      guard head.plan == digest else { throw CofferError(.planMismatch, "\(file.name) belongs to another plan") }
      guard head.formatVersion == 1, (0..<plan.options.keyBuckets).contains(head.bucket) else {
        throw Self.damaged(file.name)
      }
      if let other = names.updateValue(file.name, forKey: head.bucket) {
        throw CofferError(
          .planMismatch, "\(other) and \(file.name) both have the violations in bucket \(head.bucket): pass only one of them")
      }
      readers.append(reader)
    }
    if let missing = (0..<plan.options.keyBuckets).first(where: { names[$0] == nil }) {
      throw CofferError(.planMismatch, "the violations in bucket \(missing) are missing")
    }
  }

  /// Gives a document's violations to its consumer. Must be called for each file that is cut, in order.
  mutating func read(into consumer: inout DocumentEvaluator) throws(CofferError) {
    for index in readers.indices {
      try readers[index].read { source throws(CofferError) in try consumer.readDecisions(from: &source) }
    }
  }

  mutating func finish() throws(CofferError) {
    for index in readers.indices { try readers[index].finish() }
  }

  private static func damaged(_ name: String) -> CofferError {
    CofferError(.damagedPartial, "\(name) is not a result of coffer report keys, or is damaged")
  }
}
