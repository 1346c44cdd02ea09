import Findings
import Rules

/// The evidence for the rules of a place, as a comment.
///
///     1,204,331 values, 12 distinct, 3 to 90. Confidence: high.
struct PlaceEvidence {
  private let place: Place
  private let documentCount: Int

  init(_ place: Place, documentCount: Int) {
    self.place = place
    self.documentCount = documentCount
  }

  /// - Parameter relation: the evidence for the relation of the values to others.
  func comment(with relation: String?) -> String? {
    guard place.count > 0 else { return nil }
    // Objects show their evidence in their members.
    if place.objects == place.count { return place.count.counted("object") }
    let parts = [counts, distinctCount, range, itemCounts, relation].compactMap(\.self)
    return parts.joined(separator: ", ") + ". " + Confidence(values: place.count).sentence
  }

  private var counts: String {
    let count = place.count.counted(place.arrays == place.count ? "array" : "value")
    return place.nulls > 0 ? "\(count), \(place.nulls.grouped) null" : count
  }

  private var distinctCount: String? {
    if place.texts.count > 0, place.numbers.count > 0 { return nil }
    if place.texts.count > 0, !place.texts.tally.isOver { return "\(place.texts.tally.values.count.grouped) distinct" }
    if place.numbers.count > 0, !place.numbers.tally.isOver { return "\(place.numbers.tally.values.count.grouped) distinct" }
    let column = place.column
    if column.documents == 0 || column.hasOthers { return nil }
    let count = column.largestDistinctCount
    let distinct = "\(column.isCountExact ? "" : "about ")\(count.grouped) distinct"
    return documentCount > 1 ? "up to \(distinct) in a document" : distinct
  }

  private var range: String? {
    if place.numbers.count > 0 {
      guard place.numbers.minimum < place.numbers.maximum, let range = place.numbers.range else { return nil }
      return "\(range.minimum) to \(range.maximum)"
    }
    guard let format = place.texts.formats.first, let range = place.texts.range(as: format),
      range.earliest != range.latest
    else { return nil }
    return "\(range.earliest) to \(range.latest)"
  }

  private var itemCounts: String? {
    guard place.arrays > 0, place.maximumItems > 0 else { return nil }
    let most = place.maximumItems.counted("item")
    return place.minimumItems == place.maximumItems ? most : "\(place.minimumItems.grouped) to \(most)"
  }
}

extension TextStatistics {
  /// The first and the last of the points in time, written in a format that all texts have.
  func range(as format: StringFormat) -> (earliest: String, latest: String)? {
    guard format.isPointInTime, let earliest, let latest else { return nil }
    // `2026-06-01T00:00:00Z`
    func text(_ instant: Instant) -> String { format == .date ? String("\(instant)".prefix { $0 != "T" }) : "\(instant)" }
    return (text(earliest), text(latest))
  }
}
