import ByteStreams
import JSONEvents

extension JSONEventWriter {
  /// Drains the text like `drain`, but escapes characters that control a terminal.
  mutating func drainPrintable(to sink: inout some ByteSink) throws(CofferError) {
    var memory = MemorySink()
    try drain(to: &memory)
    // The buffer ends between tokens, so no character is split.
    if !memory.bytes.isEmpty { try sink.write(String(decoding: memory.bytes, as: UTF8.self).printableJSON) }
  }

  /// Flushes the text like `flush`, but escapes characters that control a terminal.
  mutating func flushPrintable(to sink: inout some ByteSink) throws(CofferError) {
    var memory = MemorySink()
    try flush(to: &memory)
    if !memory.bytes.isEmpty { try sink.write(String(decoding: memory.bytes, as: UTF8.self).printableJSON) }
  }
}

extension JSONEventWriter {
  mutating func member(_ name: StaticString, _ text: String) {
    key(name)
    string(text)
  }

  mutating func member(_ name: StaticString, _ number: Int) {
    key(name)
    integer(Int64(number))
  }
}
