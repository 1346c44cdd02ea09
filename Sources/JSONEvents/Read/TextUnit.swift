import ByteStreams

/// The unit that a reader reads, for its errors.
package enum TextUnit {
  case document
  /// A line that a line break ends, so that it can't be truncated.
  case line
  /// The document's last line, without a line break.
  case lastLine

  var end: String { self == .line ? "the line ends" : "the document ends" }
  var completion: String { self == .document ? "the document is complete" : "the line's value is complete" }

  /// The code of an error at the end of the text.
  var truncation: CofferError.Code { self == .line ? .syntax : .truncated }
}
