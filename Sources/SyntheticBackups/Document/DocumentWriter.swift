import ByteStreams
import JSONEvents

/// Writes the root object, a member at a time.
struct DocumentWriter: ~Copyable {
  private let population: Population
  private var records: RecordWriter

  init(population: Population, layout: JSONEventWriter.Layout) {
    self.population = population
    records = RecordWriter(JSONEventWriter(layout: layout, slashes: .escaped))
  }

  var byteCount: Int { records.json.byteCount }

  mutating func begin() { records.json.beginObject() }

  mutating func finish(to sink: inout some ByteSink) throws(ByteStreamError) {
    records.json.endObject()
    try records.json.finish(to: &sink)
  }

  /// Writes a member of the root.
  ///
  /// - Parameter sample: at most how many records of a collection, evenly picked; `nil`: all.
  mutating func write(
    _ member: RootMember, sample: Int? = nil, schedule: consuming DefectSchedule, to sink: inout some ByteSink,
    ledger: (LedgerEntry) throws(ByteStreamError) -> Void
  ) throws(ByteStreamError) {
    switch member {
    case .cars: try write(Car.self, sample, schedule, &sink, ledger)
    case .delayedNotifications: try write(DelayedNotification.self, sample, schedule, &sink, ledger)
    case .documents: try write(Document.self, sample, schedule, &sink, ledger)
    case .expenses: try write(Expense.self, sample, schedule, &sink, ledger)
    case .ideas: try write(Idea.self, sample, schedule, &sink, ledger)
    case .metadata: try write(Metadata.self, sample, schedule, &sink, ledger)
    case .plannedMaintenance: try write(PlannedMaintenance.self, sample, schedule, &sink, ledger)
    case .userSettings: try write(UserSettings.self, sample, schedule, &sink, ledger)
    }
  }

  private mutating func write<Record: SyntheticRecord>(
    _: Record.Type, _ sample: Int?, _ schedule: consuming DefectSchedule, _ sink: inout some ByteSink,
    _ ledger: (LedgerEntry) throws(ByteStreamError) -> Void
  ) throws(ByteStreamError) {
    let member = Record.member
    let count = population.counts[member]
    let written = min(sample ?? count, count)
    records.json.key(member.key)
    if member.isCollection { records.json.beginArray() }
    for place in 0..<written {
      let index = written == count ? place : place * count / written
      guard let defect = schedule.defect(at: index) else {
        records.write(Record(at: index, of: population, defect: nil))
        try records.json.drain(to: &sink)
        continue
      }
      let record = Record(at: index, of: population, defect: defect)
      let planted = PlantedMember(defect, at: index, anchor: record.anchor, of: population)
      records.write(record, planting: planted)
      let pointer = member.isCollection ? "/\(member.rawValue)/\(index)/\(defect.field)" : "/\(member.rawValue)/\(defect.field)"
      try ledger(LedgerEntry(code: defect.code, pointer: pointer, value: planted.value?.text))
      try records.json.drain(to: &sink)
    }
    if member.isCollection { records.json.endArray() }
  }
}
