extension JSONEventWriter {
  /// Writes an event of a run: a number digit for digit, a string or key with its escapes resolved.
  ///
  /// Documents of more than 127 levels can't be written: set the reader's limit accordingly.
  public mutating func write(eventAt index: Int, of events: borrowing EventRun) {
    write(events.batch[index], in: events.batch)
  }

  /// Writes an event that was read.
  package mutating func write(_ event: Event, in batch: EventBatch) {
    switch event.kind {
    case .null: null()
    case .false: boolean(false)
    case .true: boolean(true)
    case .number: batch.text(of: event).withUnsafeBytes { number(utf8: $0.bindMemory(to: UInt8.self)) }
    case .string: batch.text(of: event).withUnsafeBytes { string(utf8: $0.bindMemory(to: UInt8.self)) }
    case .key: batch.text(of: event).withUnsafeBytes { key(utf8: $0.bindMemory(to: UInt8.self)) }
    case .arrayStart: beginArray()
    case .objectStart: beginObject()
    case .arrayEnd: endArray()
    case .objectEnd: endObject()
    }
  }
}
