import ByteStreams

extension Keyword {
  /// A keyword's rule about a value: what the compiler, `rules check` and descriptions of rules need to know of it.
  ///
  /// A plain check is one row for each kind of value that it is about:
  ///
  ///     static func multiple(of divisor: ExactDecimal) -> Keyword.Rule {
  ///       Keyword.Rule(.number, words: { _ in "a multiple of \(divisor)" }) { adder, keyword, slot in
  ///         adder.append(slot, rule: adder.rule(keyword, "a multiple of \(divisor)"), .number) { … }
  ///       }
  ///     }
  package struct Rule: Sendable {
    typealias Add = @Sendable (KeywordAdder, Schema.Keyword, _ slot: UInt16) throws(CofferError) -> Void

    /// A bound. Two of the same measure may leave no value.
    struct Limit: Sendable {
      enum Value: Comparable, Sendable { case number(ExactDecimal), instant(Instant), count(Int) }
      enum Measure: Sendable { case number, format, characters, bytes, items, members }

      let measure: Measure
      let comparison: Comparison
      let value: Value
    }

    /// The types of the values that it is about, or `nil` if it is about all.
    let types: TypeSet?
    /// Returns the check in words for lists of fields, or `nil` if it is none to list.
    let words: @Sendable (_ message: String?) -> String?
    let limit: Limit?
    /// The values elsewhere that it compares with, and the places from the root and fields of records that it names.
    let data: [Schema.DataReference]
    let places: [[String]]
    let fields: [Schema.FieldPath]
    /// Requests the places in the document that it needs.
    let request: @Sendable (inout LocationTree, Schema.Keyword) -> Void
    /// Adds its rows to the state of its value.
    let add: Add

    init(
      _ types: TypeSet? = nil, limit: Limit? = nil, data: [Schema.DataReference] = [], places: [[String]] = [],
      fields: [Schema.FieldPath] = [], words: @escaping @Sendable (_ message: String?) -> String? = { _ in nil },
      request: (@Sendable (inout LocationTree, Schema.Keyword) -> Void)? = nil, add: @escaping Add
    ) {
      (self.types, self.limit, self.data, self.places, self.fields) = (types, limit, data, places, fields)
      (self.words, self.add) = (words, add)
      self.request =
        request ?? { locations, _ in
          for case .root(let tokens) in data.map(\.origin) { _ = locations.cell(at: tokens) }
        }
    }
  }
}
