/// A document's version in a report: a number if it is spelled as one, else a string.
package struct ReportedVersion: Codable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    text = try (try? value.decode(Int64.self)).map(String.init) ?? value.decode(String.self)
  }

  package func encode(to encoder: any Encoder) throws {
    if let number = Int64(text) { try number.encode(to: encoder) } else { try text.encode(to: encoder) }
  }
}
