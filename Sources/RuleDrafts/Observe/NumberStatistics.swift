import JSONEvents
import Rules

/// The range of the numbers of a place.
struct NumberStatistics: Sendable {
  private(set) var count = 0
  /// The numbers that are written without a point and an exponent.
  private(set) var integerCount = 0
  private(set) var minimum = Double.infinity
  private(set) var maximum = -Double.infinity
  /// The range of the integers.
  private(set) var minimumInteger = Int64.max
  private(set) var maximumInteger = Int64.min
  /// False if an integer has more than 18 digits.
  private var fits = true
  /// True if a number has more digits than a Double keeps.
  private var isRounded = false
  /// The last integer: for numbers that a document has once.
  var lastInteger: Int64?

  /// True if all are integers of at most 18 digits.
  var areIntegers: Bool { integerCount == count && fits }

  @inline(__always)
  mutating func add(_ text: ByteView) {
    count += 1
    guard let number = IntegerText.decimal(text) else { return addLong(text) }
    if number.places < 0 {
      integerCount += 1
      lastInteger = number.digits
      if number.digits < minimumInteger { minimumInteger = number.digits }
      if number.digits > maximumInteger { maximumInteger = number.digits }
      add(Double(number.digits))
    } else {
      // A quotient of exact numbers is the closest Double, which is written with the same digits if there are up to 15.
      if number.digits.magnitude >= 1_000_000_000_000_000 { isRounded = true }
      add(Double(number.digits) / Self.powers[number.places])
    }
  }

  @inline(__always)
  private mutating func add(_ value: Double) {
    if value < minimum { minimum = value }
    if value > maximum { maximum = value }
  }

  /// Takes a number of many digits, or with an exponent.
  @inline(never)
  private mutating func addLong(_ text: ByteView) {
    if (0..<text.count).allSatisfy({ text[$0] != UInt8(ascii: ".") && text[$0] | 0x20 != UInt8(ascii: "e") }) {
      integerCount += 1
      fits = false
      lastInteger = nil
    }
    isRounded = true
    if text.count <= 400, let value = Double(text.string) { return add(value) }
    add(-.infinity)
    add(.infinity)
  }

  /// A range of JSON numbers that has all numbers, or `nil` if one of them is too large for a Double, or too long.
  var range: (minimum: String, maximum: String)? {
    if areIntegers { return ("\(minimumInteger)", "\(maximumInteger)") }
    guard minimum.isFinite, maximum.isFinite else { return nil }
    return isRounded ? ("\(minimum.nextDown)", "\(maximum.nextUp)") : ("\(minimum)", "\(maximum)")
  }

  /// The least and the greatest number, rounded, for people.
  var shownRange: String? {
    if areIntegers { return minimumInteger < maximumInteger ? "\(minimumInteger) to \(maximumInteger)" : nil }
    return minimum < maximum && minimum.isFinite && maximum.isFinite ? "\(minimum) to \(maximum)" : nil
  }

  private static let powers: [Double] = (0...18).map { power in (0..<power).reduce(1) { value, _ in value * 10 } }

  mutating func merge(_ other: NumberStatistics) {
    count += other.count
    integerCount += other.integerCount
    minimum = min(minimum, other.minimum)
    maximum = max(maximum, other.maximum)
    minimumInteger = min(minimumInteger, other.minimumInteger)
    maximumInteger = max(maximumInteger, other.maximumInteger)
    fits = fits && other.fits
    isRounded = isRounded || other.isRounded
    lastInteger = other.lastInteger ?? lastInteger
  }
}
