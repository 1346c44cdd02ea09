import JSONEvents
import Rules

extension BackupFormat {
  /// What the format holds and checks, for people.
  public var overview: String {
    var text = "\(name)\n  \(title)\n"
    if let summary { text += "  \(summary)\n" }
    if let version {
      text += "  version: \(version.pointer), \(version.oldest) to \(version.current) are known\n"
    }
    text += "  collections:\n"
    for collection in rules.collections {
      text += "    \(collection.pointer): \(collection.fields.joined(separator: ", "))\n"
      for key in collection.keys { text += "      unique: \(key)\n" }
      for reference in collection.references { text += "      reference: \(reference)\n" }
    }
    return text
  }
}
