import ByteStreams
import JSONEvents

/// Determines the record counts for a document of a given size, by writing and measuring samples.
///
/// The counts must be known before the first byte is written, because references point forwards. A sample is spread over each
/// whole collection, because ids and mileages grow longer towards its end.
struct SizeCalibration {
  let plan: Plan
  let seed: UInt64
  let layout: TreeLayout

  /// The mean of 2048 records is within 0.5 % of the true one if records are similar.
  private static let sample = 2048
  /// A change in the counts changes the size per record by a twentieth of it, so a few rounds converge.
  private static let rounds = 5
  /// A limit far above the records of any document, but small enough to compute with.
  private static let countLimit = 1e15

  /// Returns the record count of each collection for a document of `size` bytes.
  func counts(for size: Int) -> [Int] {
    var scale = Double(size) / 300 / Double(max(1, plan.collections.reduce(0) { $0 + $1.share }))
    for _ in 0..<Self.rounds {
      let counts = counts(scale: scale)
      // Collections limited by others don't grow with the scale.
      let larger = self.counts(scale: min(scale * 4, Self.countLimit))
      let (scaled, fixed) = measure(counts, grows: { larger[$0] > counts[$0] })
      guard scaled > 0 else { break }
      let next = scale * max(0, Double(size) - fixed) / scaled
      if abs(next - scale) < scale * 0.0005 { return self.counts(scale: next) }
      scale = min(next, Self.countLimit)
    }
    return counts(scale: scale)
  }

  /// Returns true if every collection has the maximum number of records that the rules allow.
  func isLargest(_ counts: [Int]) -> Bool {
    let most = self.counts(scale: Self.countLimit)
    return plan.collections.indices.allSatisfy { plan.collections[$0].array < 0 || counts[$0] >= most[$0] }
  }

  func counts(scale: Double) -> [Int] {
    var counts = plan.collections.map { collection in
      min(collection.most, max(collection.least, Int(min(scale * Double(collection.share), Self.countLimit).rounded())))
    }
    for _ in plan.collections {
      for (index, collection) in plan.collections.enumerated() {
        for other in collection.noMoreThan { counts[index] = min(counts[index], counts[Int(other)]) }
      }
    }
    return counts
  }

  /// Returns the bytes of the collections that grow with the document, and of everything else.
  private func measure(_ counts: [Int], grows: (Int) -> Bool) -> (scaled: Double, fixed: Double) {
    let population = Population(seed: seed, counts: counts, plan: plan)
    var document = DocumentWriter(plan: plan, population: population, layout: layout)
    var (scaled, fixed) = (0.0, 0.0)
    for (index, collection) in plan.collections.enumerated() where collection.array >= 0 {
      let bytes = document.measure(index, sample: Self.sample)
      if counts[index] > collection.least, grows(index) { scaled += bytes } else { fixed += bytes }
    }
    // The envelope, with empty collections.
    let empty = Population(seed: seed, counts: counts.map { _ in 0 }, plan: plan)
    var envelope = DocumentWriter(plan: plan, population: empty, layout: layout)
    var sink = CountingSink()
    do throws(CofferError) {
      try envelope.write(to: &sink) { _, _, _ throws(CofferError) in }
    } catch {
      preconditionFailure("a counting sink failed: \(error)")
    }
    return (scaled, fixed + Double(sink.count))
  }
}
