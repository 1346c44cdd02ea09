/// What a backup keeps of a file in the app: everything but the file.
struct Document: SyntheticRecord {
  static let member = RootMember.documents

  private static let types: [(type: StaticString, tail: StaticString)] = [
    ("pdf", ".pdf"), ("jpg", ".jpg"), ("jpeg", ".jpeg"), ("png", ".png"), ("heic", ".heic"), ("image", ".webp"),
    ("unknown", ".bin"),
  ]

  private let id: Int
  private let carID: Int
  private let createdAt: Timestamp
  private let updatedAt: Timestamp
  private let customTitle: OptionalMember<StaticString>
  private let fileName: Phrase
  private let fileSize: Int
  private let fileType: StaticString

  init(at index: Int, of population: Population, defect: DefectVariant?) {
    var random = population.random(.documents, at: index)
    id = population.id(.documents, at: index)
    carID = population.id(.cars, at: random.below(population.counts.cars))
    let age = random.within(1...900 * Timestamp.secondsPerDay)
    createdAt = Timestamp.reference - age
    updatedAt = random.chance(60) ? createdAt : createdAt + random.below(age)
    customTitle = OptionalMember(70, from: &random) { $0.pick(Names.documents) }
    let (type, tail) = random.pick(Self.types)
    fileName = Phrase(random.pick(Names.files), number: random.within(1...9999), tail: tail)
    fileSize = random.within(0...12_000_000)
    fileType = type
  }

  var anchor: Int { createdAt.seconds }

  func write(to record: inout RecordWriter) {
    record.integer("carId", carID)
    record.date("createdAt", createdAt)
    record.optional("customTitle", customTitle) { $0.string($1, $2) }
    record.string("fileName", fileName)
    record.integer("fileSize", fileSize)
    record.string("fileType", fileType)
    record.integer("id", id)
    record.date("updatedAt", updatedAt)
    record.absent("vaultFolder")
  }
}
