struct UserSettings: SyntheticRecord {
  static let member = RootMember.userSettings

  private static let languages: [StaticString] = ["en", "de", "ru", "kk", "tr", "uk", "zh-Hans"]

  private let currency: StaticString
  private let language: StaticString

  init(at index: Int, of population: Population, defect: DefectVariant?) {
    var random = population.random(.userSettings, at: index)
    currency = population.car(at: 0).currency.symbol
    language = random.pick(Self.languages)
  }

  func write(to record: inout RecordWriter) {
    record.string("preferredCurrency", currency)
    record.string("preferredLanguage", language)
    record.absent("theme")
  }
}
