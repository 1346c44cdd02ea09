import ByteStreams
import Rules

/// Two documents that have been read once: their sorted entries and their facts.
struct PairReading {
  let inputs: (old: ComparedInput, new: ComparedInput)
  let format: ComparisonFormat
  var skeleton: Skeleton { format.skeleton }
  private(set) var facts: (old: DocumentFacts, new: DocumentFacts)
  private var sorter: SpillSorter<RecordEntry>
  private let options: ComparisonOptions

  /// Reads both documents to their ends.
  ///
  /// - Parameters:
  ///   - counts: the places of numbers to ignore.
  ///   - memory: the memory limit for entries, in bytes.
  /// - Throws: `CofferError` if a document can't be read, or the two can't be compared; `CancellationError`;
  ///   `CofferError` of temporary files.
  init(
    _ inputs: (old: ComparedInput, new: ComparedInput), by format: ComparisonFormat, ignoring counts: [[String]] = [],
    memory: Int, _ options: ComparisonOptions
  ) throws {
    self.inputs = inputs
    self.format = format
    self.options = options
    sorter = SpillSorter(memory: memory, folder: options.execution.temporaryFolder)
    // The key is random, so that no document can be crafted with collisions.
    let key = SipHash128.Key.random()
    func read(_ input: ComparedInput, _ side: RecordEntry.Side, into sorter: inout SpillSorter<RecordEntry>) throws
      -> DocumentFacts
    {
      try input.reading {
        let consumer = EntryConsumer(
          side, format.skeleton, format.format, ignoring: counts, limits: options.limits, key: key, into: sorter)
        sorter = SpillSorter(memory: 0, folder: options.execution.temporaryFolder)
        var pass = try input.pass(consumer)
        try pass.run()
        sorter = pass.consumer.sorter
        var facts = pass.consumer.facts
        facts.bytes = pass.bytesRead
        return facts
      }
    }
    let old = try read(inputs.old, .old, into: &sorter)
    facts = (old, try read(inputs.new, .new, into: &sorter))
    try format.checkFormat(inputs, facts)
    try format.checkVersions(inputs, facts)
    try format.checkKeys(options.keys, inputs, arrays: facts.old.arrays.union(facts.new.arrays))
    try sorter.finish()
  }

  /// True if the root of one of them is an array of records.
  var isArray: Bool { facts.old.arrays.contains(Skeleton.root) || facts.new.arrays.contains(Skeleton.root) }

  /// Classifies each entry, in no particular order. Call it only once.
  mutating func join(_ emit: (EntryJoin.Outcome) throws -> Void) throws {
    try EntryJoin.run(&sorter, cancellation: options.execution.cancellation, emit)
    sorter = SpillSorter(memory: 0, folder: options.execution.temporaryFolder)
  }
}
