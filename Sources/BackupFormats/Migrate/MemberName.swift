/// The name of a member, prepared for comparison and output.
package struct MemberName: Sendable, Hashable {
  package let text: String
  package let utf8: [UInt8]

  package init(_ text: String) {
    self.text = text
    utf8 = Array(text.utf8)
  }
}
