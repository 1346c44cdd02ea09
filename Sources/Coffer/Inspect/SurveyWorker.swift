import JSONEvents

/// One thread's part of an inspection: surveys slices, and checks that they are well formed.
struct SurveyWorker: SliceWorker {
  private var survey: RecordSurvey
  private let depth: Int
  private let limits: ReaderLimits

  init(_ plan: CollectionPlan, depth: Int, limits: ReaderLimits) {
    // A slice keeps all names, because earlier slices may have had them too.
    survey = RecordSurvey(plan, unknownLimit: .max)
    self.depth = depth
    self.limits = limits
  }

  mutating func work(on slice: Slice, workerContext: Void) -> RecordTally? {
    var reader = SliceReader(slice, depth: depth, limits: limits)
    while reader.next() { _ = survey.take(reader.batch) }
    let tally = survey.takeTally(unknownLimit: .max)
    guard !reader.hasFailed else {
      survey.restart()
      return nil
    }
    return tally
  }
}
