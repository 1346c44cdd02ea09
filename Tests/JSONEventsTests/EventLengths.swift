import ByteStreams
import JSONEvents

/// The length of each event's text, without copying the texts.
struct EventLengths {
  private(set) var lengths: [Int] = []
  private(set) var batches = 0
  private(set) var error: CofferError?

  init(_ source: some ByteSource, limits: ReaderLimits) throws {
    var reader = JSONEventReader(source, limits: limits)
    do {
      while try reader.next() {
        batches += 1
        for index in 0..<reader.batch.count { lengths.append(reader.batch.text(of: reader.batch[index]).count) }
      }
    } catch {
      self.error = error
    }
  }
}
