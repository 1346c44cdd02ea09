import Foundation

/// The number of cases that property, random and fault tests try, from the environment variable `COFFER_TEST_DEPTH`:
/// `everyday`, the default, tries some of every kind of case; `deep` tries as many as a nightly job has time for.
package enum TestDepth: String, Sendable {
  case everyday, deep

  package static let current: TestDepth = {
    guard let name = ProcessInfo.processInfo.environment["COFFER_TEST_DEPTH"], !name.isEmpty else { return .everyday }
    guard let depth = TestDepth(rawValue: name) else { preconditionFailure("COFFER_TEST_DEPTH is everyday or deep, not \(name)") }
    return depth
  }()

  /// Returns a count that depends on the depth.
  package static func count<Number: BinaryInteger>(everyday: Number, deep: Number) -> Number {
    current == .deep ? deep : everyday
  }

  /// Returns seeds or indices from 0; a deep run includes all everyday cases.
  package static func cases<Number: FixedWidthInteger>(everyday: Number, deep: Number) -> Range<Number> {
    0..<count(everyday: everyday, deep: deep)
  }

  /// Returns the values of an exhaustive table: all of them in a deep run, every `stride`th and the last otherwise.
  package static func sample<Value>(_ values: [Value], everyday stride: Int) -> [Value] {
    if current == .deep { return values }
    return values.indices.filter { $0 % stride == 0 || $0 == values.count - 1 }.map { values[$0] }
  }
}
