import ByteStreams
import JSONEvents

/// Everything that a reader says of a document.
struct Reading: Equatable {
  struct Step: Equatable {
    let kind: Event.Kind
    let text: [UInt8]
    let place: TextPosition
  }

  private(set) var steps: [Step] = []
  /// The error that ended the document, or `nil`.
  private(set) var error: JSONReadError?

  init(of source: some ByteSource, limits: ReaderLimits) {
    var reader = JSONEventReader(source, limits: limits)
    do {
      while try reader.next() {
        for index in 0..<reader.batch.count {
          let event = reader.batch[index]
          let place = reader.lines.position(at: reader.batch.offset(of: event))
          steps.append(Step(kind: event.kind, text: reader.batch.text(of: event).array, place: place))
        }
      }
    } catch {
      guard let error = error as? JSONReadError else { fatalError("memory can't fail to be read: \(error)") }
      self.error = error
    }
  }

  /// Where two readings part, for the report of a failure.
  func difference(from other: Reading) -> String {
    for (index, (mine, theirs)) in zip(steps, other.steps).enumerated() where mine != theirs {
      return "event \(index): \(mine) and \(theirs)"
    }
    let mine = error.map { "\($0.code.rawValue): \($0)" } ?? "no error"
    let theirs = other.error.map { "\($0.code.rawValue): \($0)" } ?? "no error"
    return "\(steps.count) events, then \(mine); and \(other.steps.count) events, then \(theirs)"
  }
}
