/// Which app wrote the backup, when and where.
struct Metadata: SyntheticRecord {
  static let member = RootMember.metadata

  init(at index: Int, of population: Population, defect: DefectVariant?) {}

  func write(to record: inout RecordWriter) {
    record.string("appVersion", "2026.3.1 (214)")
    record.date("createdAt", .reference)
    record.integer("databaseSchemaVersion", 9)
    record.string("deviceName", "sample-phone.local")
  }
}
