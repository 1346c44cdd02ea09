/// One object of the document: computed from its index alone, and written a member at a time.
protocol SyntheticRecord {
  static var member: RootMember { get }

  /// - Parameter defect: what will be planted in it; the rest of the record is made so that nothing else is wrong.
  init(at index: Int, of population: Population, defect: DefectVariant?)

  /// The value by which a planted one is measured: a mileage, a time in seconds, the index of a car.
  var anchor: Int { get }

  /// Writes every member that the record may have, in sorted order.
  func write(to record: inout RecordWriter)
}

extension SyntheticRecord {
  var anchor: Int { 0 }
}
