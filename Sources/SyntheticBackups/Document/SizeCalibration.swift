import ByteStreams
import JSONEvents

/// Finds how many records make a document of a given size, by writing samples of it and measuring them.
///
/// The numbers must stand before the first byte is written, for references point forwards. A sample is spread over each whole
/// collection, as ids and mileages grow longer towards its end.
struct SizeCalibration {
  private let size: Int
  private let seed: UInt64
  private let layout: JSONEventWriter.Layout

  /// The mean of 2048 expenses, which are nine tenths of a document, lies within 0.5 % of the true one.
  private static let expenseSample = 2048
  private static let otherSample = 256
  /// The number of expenses changes what the others weigh by a twentieth of the change, so a few rounds settle it.
  private static let rounds = 4
  private static let likelyExpenseSize = 350

  init(_ options: SyntheticBackup.Options) {
    size = options.size
    seed = options.seed
    layout = options.layout
  }

  func recordCounts() -> RecordCounts {
    var counts = RecordCounts(expenses: max(RecordCounts.fewestExpenses, size / Self.likelyExpenseSize))
    for _ in 0..<Self.rounds {
      let measured = measure(counts)
      let expenses = max(0, size - measured.others) * counts.expenses / measured.expenses
      counts = RecordCounts(expenses: max(RecordCounts.fewestExpenses, expenses))
    }
    return counts
  }

  /// The bytes of all expenses, and of everything else.
  private func measure(_ counts: RecordCounts) -> (expenses: Int, others: Int) {
    let population = Population(seed: seed, counts: counts, allocation: .none)
    var document = DocumentWriter(population: population, layout: layout)
    var (expenses, others) = (0, 0)
    document.begin()
    for member in RootMember.sorted {
      let sample = min(counts[member], member == .expenses ? Self.expenseSample : Self.otherSample)
      let start = document.byteCount
      var sink = CountingSink()
      let schedule = DefectSchedule(member, slots: population.slots, allocation: .none)
      do throws(ByteStreamError) {
        try document.write(member, sample: sample, schedule: schedule, to: &sink) { _ in }
      } catch {
        preconditionFailure("a sink that only counts failed: \(error)")
      }
      let bytes = (document.byteCount - start) * counts[member] / sample
      if member == .expenses { expenses += bytes } else { others += bytes }
    }
    return (expenses, others)
  }
}
