package import ByteStreams
import Findings
import JSONEvents
import Rules

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
    try file.write(json: KeyViolationFile.Head(plan: digest, bucket: bucket))
    for (number, planned) in plan.files.enumerated() where !planned.gaps.isEmpty {
      var result = ContainedDocument(report: planned.report)
      var join = try validator.pass(over: planned, &result).consumer.keyJoin()
      try frames.forEach(of: number) { rows in
        try validator.options.execution.cancellation.check()
        try join.append(rows)
      }
      try file.write { sink throws(CofferError) in try join.finish(to: &sink) }
    }
    sink = try file.finish()
  }
}

/// The violations in one bucket: a head, and the result of a `KeyJoin` for each file of the plan that is cut.
enum KeyViolationFile {
  struct Head: Codable {
    var formatVersion = 1
    /// The SHA-256 digest of the plan.
    var plan: String
    var bucket: Int
  }

  static func damaged(_ name: String) -> CofferError {
    CofferError(.damagedPartial, "\(name) is not a result of coffer report keys, or is damaged")
  }
}

/// The violations in all buckets.
struct KeyViolations {
  private var readers: [ChunkedReader] = []

  /// - Throws: `planMismatch` if a bucket belongs to another plan, missing or repeated; `damagedPartial`; errors of reading.
  init(_ files: [(name: String, source: any ByteSource)], of plan: SplitPlan, digest: String) throws(CofferError) {
    var names: [Int: String] = [:]
    for file in files {
      var reader = try ChunkedReader(file.source, named: file.name, damaged: KeyViolationFile.damaged(file.name))
      let head: KeyViolationFile.Head = try reader.readJSON()
      guard head.plan == digest else { throw CofferError(.planMismatch, "\(file.name) belongs to another plan") }
      guard head.formatVersion == 1, (0..<plan.options.keyBuckets).contains(head.bucket) else {
        throw KeyViolationFile.damaged(file.name)
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
  mutating func read(into consumer: inout ValidationConsumer) throws(CofferError) {
    for index in readers.indices {
      try readers[index].read { source throws(CofferError) in try consumer.readDecisions(from: &source) }
    }
  }

  mutating func finish() throws(CofferError) {
    for index in readers.indices { try readers[index].finish() }
  }
}
