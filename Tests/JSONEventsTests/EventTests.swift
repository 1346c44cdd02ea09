import JSONEvents
import Testing

@Suite struct EventTests {
  /// `Event.kind` takes a record's byte for the case itself.
  @Test func kindsAreStoredAsTheirRawValues() {
    #expect(Event.Kind.allCases.map(\.rawValue) == Array(0..<10))
    for kind in Event.Kind.allCases { #expect(unsafeBitCast(kind.rawValue, to: Event.Kind.self) == kind) }
  }
}
