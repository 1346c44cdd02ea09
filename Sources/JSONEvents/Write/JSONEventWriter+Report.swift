import ByteStreams

extension JSONEventWriter {
  /// Returns a machine-readable report: one indented JSON document with a line break at its end, without characters that control
  /// a terminal (`printableJSON`).
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
      preconditionFailure("writing to memory can't fail")
    }
    let text = String(decoding: sink.bytes, as: UTF8.self).printableJSON
    return text.hasSuffix("\n") ? text : text + "\n"
  }
}
