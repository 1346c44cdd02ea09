import JSONEvents
package import Rules

extension BackupFormat {
  /// An array of records: what the rules say of it, and the descriptor beside them.
  public struct Collection: Sendable {
    /// A JSON Pointer.
    public let pointer: String
    /// What it is called: its own name, unless the descriptor has another.
    public let title: String
    /// The fields that tell its records apart, each a name or the names that lead to it; empty if nothing does.
    ///
    /// They are those of the descriptor's `key`, else of the rules' `primaryKey`, or of the entry of `uniqueKeys` with the code `primary-key`.
    public let key: [[String]]
    /// Whether keys are equal that differ in the case of their letters alone.
    public let keyIgnoresCase: Bool
    /// The member that says when a record happened: the descriptor's `date`, else the first one that the rules require to be a date.
    public let date: String?
    /// The member that says when a record was changed last, if the descriptor names one.
    public let modified: String?
    package let rules: RuleDocument.Collection

    package var dateFormat: StringFormat? { format(of: date) }
    package var modifiedFormat: StringFormat? { format(of: modified) }

    init(_ rules: RuleDocument.Collection, _ description: JSONValue.Located?, at pointer: String) throws(RuleCompileError) {
      func text(_ name: String) throws(RuleCompileError) -> String? {
        guard let value = description?[name] else { return nil }
        if let text = value.string, !text.isEmpty { return text }
        throw RuleCompileError("expected a string that is not empty", at: "\(pointer)/\(name)", value.position)
      }
      func dateField(_ name: String) throws(RuleCompileError) -> String? {
        guard let field = try text(name), let value = description?[name] else { return nil }
        if rules.dates.contains(where: { $0.field == field }) { return field }
        throw RuleCompileError(
          "the rules give no '\(field)' of these records a date's format", at: "\(pointer)/\(name)", value.position)
      }
      self.rules = rules
      self.pointer = rules.pointer
      title = try text("title") ?? rules.name
      modified = try dateField("modified")
      date = try dateField("date") ?? rules.dates.first?.field
      let key = rules.keys.first(where: \.isPrimary)
      if let value = description?["key"] {
        let fields = (value.array ?? [value]).compactMap { $0.string?.split(separator: "/").map(String.init) }
        guard !fields.isEmpty, fields.count == value.array?.count ?? 1 else {
          throw RuleCompileError("expected a field's name or a list of them", at: "\(pointer)/key", value.position)
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
