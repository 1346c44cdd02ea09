import JSONEvents
import Testing

@Suite struct EventTests {
  /// `Event.kind` reinterprets a record's byte as the case.
  @Test func `kinds are stored as their raw values`() {
    #expect(Event.Kind.allCases.map(\.rawValue) == Array(0..<10))
    for kind in Event.Kind.allCases { #expect(unsafeBitCast(kind.rawValue, to: Event.Kind.self) == kind) }
  }
}
