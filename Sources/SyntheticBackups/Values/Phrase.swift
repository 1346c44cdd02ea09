/// A text of fixed words, some with a number among them: `insurance-`, 2025, `.pdf`.
struct Phrase: Sendable {
  private let head: StaticString
  private let number: Numbered?

  private struct Numbered {
    let joint: StaticString
    let number: Int
    let tail: StaticString
  }

  init(_ text: StaticString) {
    head = text
    number = nil
  }

  init(_ head: StaticString, joint: StaticString = "", number: Int, tail: StaticString = "") {
    self.head = head
    self.number = Numbered(joint: joint, number: number, tail: tail)
  }

  /// The text itself where no number comes into it.
  var fixed: StaticString? { number == nil ? head : nil }

  func write(to text: inout TextBuffer) {
    text.append(head)
    guard let number else { return }
    text.append(number.joint)
    text.append(number.number)
    text.append(number.tail)
  }
}
