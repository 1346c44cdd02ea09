import ByteStreams
package import Rules

extension BackupFormat {
  /// An array of records, as described by the rules and the descriptor.
  public struct Collection: Sendable {
    /// A JSON Pointer.
    public let pointer: String
    /// The collection's title: its name, unless the descriptor declares another.
    public let title: String
    /// The key fields of its records, each a name or a path of names; empty if there is no key.
    ///
    /// They come from the descriptor's `key`, else from the rules' `primaryKey`, or the entry of `uniqueKeys` with the code
    /// `primary-key`.
    public let key: [[String]]
    /// True if keys are compared without regard to letter case.
    public let keyIgnoresCase: Bool
    /// The member with a record's date: the descriptor's `date`, else the first member that the rules require to be a date.
    public let date: String?
    /// The member with a record's last modification, if the descriptor declares one.
    public let modified: String?
    package let rules: RuleDocument.Collection

    package var dateFormat: StringFormat? { format(of: date) }
    package var modifiedFormat: StringFormat? { format(of: modified) }

    init(_ rules: RuleDocument.Collection, _ description: RuleValue?) throws(CofferError) {
      func dateField(_ name: String) throws(CofferError) -> String? {
        guard let value = description?[name] else { return nil }
        let field = try value.expectText()
        if rules.dates.contains(where: { $0.field == field }) { return field }
        throw value.error("the rules declare no date format for '\(field)' of these records")
      }
      self.rules = rules
      self.pointer = rules.pointer
      title = try description?["title"]?.expectText() ?? rules.name
      modified = try dateField("modified")
      date = try dateField("date") ?? rules.dates.first?.field
      let key = rules.keys.first(where: \.isPrimary)
      if let value = description?["key"] {
        let items = value.items ?? [value]
        let fields = items.compactMap { $0.string?.split(separator: "/").map(String.init) }
        guard !fields.isEmpty, fields.count == items.count else {
          throw value.error("expected a field name or a list of field names")
        }
        self.key = fields
        keyIgnoresCase = rules.keys.first { $0.fields == fields }?.ignoresCase ?? false
      } else {
        self.key = key?.fields ?? []
        keyIgnoresCase = key?.ignoresCase ?? false
      }
    }

    private func format(of field: String?) -> StringFormat? {
      field.flatMap { field in rules.dates.first { $0.field == field }?.format }
    }
  }
}
