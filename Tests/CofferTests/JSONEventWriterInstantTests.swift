import Coffer
import Testing

@Suite struct JSONEventWriterInstantTests {
  @Test(arguments: ["2026-06-28T20:15:00Z", "1969-12-31T23:59:59.5Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z"])
  func `instants are written in UTC`(text: String) throws {
    let instant = try #require(Instant(text))
    var json = JSONEventWriter()
    var sink = MemorySink()
    json.dateTime(instant)
    try json.finish(to: &sink)
    #expect(String(decoding: sink.bytes, as: UTF8.self) == "\"\(text)\"")
  }
}
