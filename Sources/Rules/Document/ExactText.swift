/// Text that equals another byte for byte alone, as names do in JSON. Swift's own strings are equal, too, where only their Unicode
/// normalisation differs.
package struct ExactText: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (a: ExactText, b: ExactText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  package func hash(into hasher: inout Hasher) {
    var text = text
    // All bytes at once: names may be long, and are hashed often.
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
