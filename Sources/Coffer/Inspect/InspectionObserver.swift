import BackupFormats
import JSONEvents
import Rules

/// Inspects a document in the pass that validates it.
struct InspectionObserver: ValidationObserver {
  private let limits: ReaderLimits
  private var consumer: InspectionConsumer

  init(limits: ReaderLimits) {
    self.limits = limits
    consumer = InspectionConsumer(InspectionPlan(), limits: limits)
  }

  mutating func begin(_ document: ContainedDocument, in container: BackupFormat.Container) {
    guard let format = document.format else { return }
    consumer = InspectionConsumer(InspectionPlan(format, in: container, prefix: []), limits: limits)
  }

  mutating func take(_ batch: EventBatch, lines: LineCursor) { consumer.consume(batch, lines: lines) }

  func slices(recordsBefore: Int) -> (@Sendable () -> Slices)? { { [plan = consumer.recordPlan] in Slices(plan) } }

  mutating func merge(_ partial: RecordTally, of slice: Slice) { consumer.merge(partial, of: slice) }

  mutating func finish() { consumer.finish() }

  /// Returns the inspection, without migrations that depend on the document's content.
  func inspection(of document: ContainedDocument, in container: BackupFormat.Container, now: Instant) -> Inspection {
    var inspection = Inspection(file: document.report.file)
    if container == .zip { inspection.container = .zip }
    if let format = document.format {
      inspection.format = .known(name: format.name, title: format.title, dialect: document.report.dialect, reasons: [])
    }
    inspection.error = document.report.error
    inspection.documentBytes = document.report.bytes
    consumer.describe(in: &inspection, now: now)
    return inspection
  }

  /// One thread's part.
  struct Slices: SliceObserver {
    private var survey: RecordSurvey

    init(_ plan: CollectionPlan) { survey = RecordSurvey(plan, unknownLimit: .max) }

    mutating func begin(_ slice: Slice) {
      // Discards the tally of a previous slice for which `end` wasn't called.
      _ = end()
      survey.restart()
    }

    mutating func take(_ batch: EventBatch) { _ = survey.take(batch) }

    mutating func end() -> RecordTally { survey.takeTally(unknownLimit: .max) }
  }
}
