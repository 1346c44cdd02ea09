/// A kind of work that is measured, in the order in which it is done: each is a command of its own.
package enum Step: String, CaseIterable, Sendable {
  /// Read to the end and proved well formed, by rules that ask for nothing.
  case parse
  /// Checked by the rules of its format.
  case validate
  /// Written again without blanks, to nowhere.
  case convert
  /// Compressed to LZ4, to nowhere.
  case compress
  /// Decompressed from that, to nowhere.
  case decompress
  /// Imported into a database that is made for it.
  case `import`
  /// Imported once more into that database: each record takes the place of itself.
  case merge
  /// Exported from that database, to nowhere.
  case export
}
