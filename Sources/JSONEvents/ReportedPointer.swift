import ByteStreams

/// JSON Pointers as reports show them: names of more than 128 bytes and pointers of more than some 1024 are cut in the middle.
///
///     /settings/kkkk…(999872 bytes cut)…kkkk/x
///
/// A document decides how long its names are and how deep its values lie, so a place that is kept for each finding must not be as long as that.
/// The byte offset beside it stays exact.
package struct ReportedPointer {
  /// In bytes, before `~` and `/` are escaped.
  package static let nameLimit = 128
  private static let limit = 1024

  private var head = ""
  /// What follows the head, with the length that each token has uncut.
  private var rest: [(token: String, length: Int)] = []

  package init() {}

  /// Goes on to an item.
  package mutating func append(_ index: Int) {
    let token = String(index)
    append(token, length: token.utf8.count)
  }

  /// Goes on to a member, by its token as ``Swift/String/reportedToken`` gives it.
  ///
  /// - Parameter length: how many bytes the name has.
  package mutating func append(_ token: String, length: Int) {
    if rest.isEmpty, head.utf8.count < Self.limit / 2 {
      head += "/" + token
    } else {
      rest.append((token, length))
    }
  }

  package var text: String {
    var tail = ""
    var end = rest.count
    while end > 0, tail.utf8.count < Self.limit / 2 {
      end -= 1
      tail = "/" + rest[end].token + tail
    }
    if end == 0 { return head + tail }
    return "\(head)/…(\(rest[..<end].reduce(0) { $0 + 1 + $1.length }) bytes cut)…\(tail)"
  }
}

extension String {
  /// This name as a token of a reported pointer.
  package var reportedToken: String { shortened(to: ReportedPointer.nameLimit).pointerToken }
}

extension ByteView {
  /// This name as a token of a reported pointer.
  package var reportedToken: String { shortened(to: ReportedPointer.nameLimit).pointerToken }

  /// The text, with its middle cut out if it has more than `limit` bytes. Costs as much as what is left.
  package func shortened(to limit: Int) -> String {
    if count <= limit { return string }
    var head = limit / 2
    var tail = count - limit / 2
    // Not within a scalar value: of what may not be UTF-8, no more than three bytes are looked at.
    while head > limit / 2 - 3, head > 0, self[head] & 0xC0 == 0x80 { head -= 1 }
    while tail < count - limit / 2 + 3, tail < count, self[tail] & 0xC0 == 0x80 { tail += 1 }
    return "\(prefix(head).string)…(\(tail - head) bytes cut)…\(dropFirst(tail).string)"
  }
}
