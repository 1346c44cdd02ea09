import ByteStreams
import Testing

@testable import JSONEvents

@Suite struct EventRunTests {
  @Test func `a run has the kind, the text and the offset of each event`() throws {
    var reader = JSONEventReader(MemorySource(#"{"a\n": [12, "é", "", true]}"#.utf8))
    var found: [String] = []
    while try reader.next() {
      for index in 0..<reader.events.count {
        let length = reader.events.withText(at: index) { $0.count }
        let place = reader.position(at: index)
        #expect(place.offset == reader.events.offset(at: index))
        found.append("\(reader.events.kind(at: index)) '\(reader.events.text(at: index))' \(length) @\(place.column)")
      }
    }
    #expect(
      found == [
        "objectStart '' 0 @1", "key 'a\n' 2 @2", "arrayStart '' 0 @9", "number '12' 2 @10", "string 'é' 2 @14", "string '' 0 @19",
        "true '' 0 @23", "arrayEnd '' 0 @27", "objectEnd '' 0 @28",
      ])
  }

  @Test func `events are written as they were read`() throws {
    let text = #"{"a":[1.50,"\u00e9\n",null,{}]}"#
    var reader = JSONEventReader(MemorySource(text.utf8))
    var writer = JSONEventWriter(layout: .compact)
    while try reader.next() {
      for index in 0..<reader.events.count { writer.write(eventAt: index, of: reader.events) }
    }
    var sink = MemorySink()
    try writer.finish(to: &sink)
    #expect(String(decoding: sink.bytes, as: UTF8.self) == #"{"a":[1.50,"é\n",null,{}]}"#)
  }

  @Test func `an index outside the run ends the process`() async {
    await #expect(processExitsWith: .failure) {
      let reader = JSONEventReader(MemorySource("[]".utf8))
      _ = reader.events.kind(at: 0)
    }
  }
}
