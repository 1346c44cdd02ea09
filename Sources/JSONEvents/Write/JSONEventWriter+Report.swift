import ByteStreams

extension JSONEventWriter {
  /// A report for programs: one indented JSON document with a line break at its end, which drives no terminal (`printableJSON`).
  package static func report(_ write: (inout JSONEventWriter) -> Void) -> String {
    var writer = JSONEventWriter(layout: .pretty(indent: 2))
    writer.beginObject()
    writer.key("formatVersion")
    writer.integer(1)
    write(&writer)
    writer.endObject()
    var sink = MemorySink()
    do {
      try writer.finish(to: &sink)
    } catch {
      preconditionFailure("memory takes all that is written")
    }
    let text = String(decoding: sink.bytes, as: UTF8.self).printableJSON
    return text.hasSuffix("\n") ? text : text + "\n"
  }
}
