/// Text that is equal only byte for byte, as JSON names are. Swift's own strings also compare equal if they differ only in
/// Unicode normalisation.
package struct ExactText: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (a: ExactText, b: ExactText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  package func hash(into hasher: inout Hasher) {
    var text = text
    // Hash all bytes in one call: names may be long and are hashed often.
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
