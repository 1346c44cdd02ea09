import JSONEvents

/// A duration (RFC 3339, appendix A).
///
///     P1Y2M3DT4H5M6S    a unit is followed by the next smaller one or none: P1Y2D and PT1H2S are invalid
///     P2W               weeks can't be combined
///
/// Numbers are whole. By the appendix's ABNF (RFC 5234, section 2.3), letters may have either case.
enum DurationText {
  static func accepts(_ text: ByteView) -> Bool {
    var cursor = TextCursor(text)
    guard cursor.take(in: duration) else { return false }
    if cursor.isNext(in: time) { return takeTime(&cursor) && cursor.isAtEnd }
    guard cursor.takeAll(in: .digits).count > 0 else { return false }
    if cursor.take(in: weeks) { return cursor.isAtEnd }
    guard takeUnits([years, months, days], &cursor) else { return false }
    return cursor.isAtEnd || takeTime(&cursor) && cursor.isAtEnd
  }

  private static func takeTime(_ cursor: inout TextCursor) -> Bool {
    cursor.take(in: time) && cursor.takeAll(in: .digits).count > 0 && takeUnits([hours, minutes, seconds], &cursor)
  }

  /// Takes units after the digits of the first one: any of `units`, then as many of the following ones as there are, without
  /// gaps.
  private static func takeUnits(_ units: [ASCIISet], _ cursor: inout TextCursor) -> Bool {
    guard var place = units.firstIndex(where: { cursor.isNext(in: $0) }) else { return false }
    while cursor.take(in: units[place]) {
      guard cursor.takeAll(in: .digits).count > 0 else { return true }
      place += 1
      if place == units.count { return false }
    }
    return false
  }

  private static let duration = ASCIISet("Pp")
  private static let time = ASCIISet("Tt")
  private static let weeks = ASCIISet("Ww")
  private static let years = ASCIISet("Yy")
  private static let months = ASCIISet("Mm")
  private static let days = ASCIISet("Dd")
  private static let hours = ASCIISet("Hh")
  private static let minutes = ASCIISet("Mm")
  private static let seconds = ASCIISet("Ss")
}
