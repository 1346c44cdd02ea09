/// A purchase that somebody thinks about.
struct Idea: SyntheticRecord {
  static let member = RootMember.ideas

  private let id: Int
  private let carID: Int
  private let createdAt: Timestamp
  private let updatedAt: Timestamp
  private let descriptionText: OptionalMember<Phrase>
  private let title: StaticString
  private let url: OptionalMember<Phrase>

  init(at index: Int, of population: Population, defect: DefectVariant?) {
    var random = population.random(.ideas, at: index)
    id = population.id(.ideas, at: index)
    carID = population.id(.cars, at: random.below(population.counts.cars))
    let age = random.within(1...900 * Timestamp.secondsPerDay)
    createdAt = Timestamp.reference - age
    updatedAt = random.chance(50) ? createdAt : createdAt + random.below(age)
    descriptionText = OptionalMember(60, from: &random) { Notes.drawn(from: &$0) }
    title = random.pick(Names.ideas)
    url = OptionalMember(55, from: &random) { Phrase($0.pick(Names.links), number: $0.within(1...99_999)) }
  }

  var anchor: Int { createdAt.seconds }

  func write(to record: inout RecordWriter) {
    record.integer("carId", carID)
    record.date("createdAt", createdAt)
    record.optional("descriptionText", descriptionText) { $0.string($1, $2) }
    record.integer("id", id)
    record.string("title", title)
    record.date("updatedAt", updatedAt)
    record.optional("url", url) { $0.string($1, $2) }
    record.absent("votes")
  }
}
