import CEmbeddedFiles

/// A file of this repository that is compiled in; `CEmbeddedFiles` lists them.
package enum EmbeddedFile {
  package static func metaSchema(_ name: String) -> [UInt8] {
    guard let bytes = bytes(of: coffer_meta_schema(name)) else { preconditionFailure("no meta-schema '\(name)' is compiled in") }
    return bytes
  }

  /// The descriptor of a built-in format, or `nil` past the last one.
  package static func format(_ index: Int) -> [UInt8]? { bytes(of: coffer_format(index)) }

  /// DocC's pages on keywords, one per group, and the page on codes in reports.
  package static var keywordPages: [String] {
    (0...).lazy.map { bytes(of: coffer_keyword_page($0)) }.prefix { $0 != nil }
      .compactMap { $0.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// The style sheet of the pages among reports.
  package static let pageStyle = bytes(of: coffer_page_style()).map { String(decoding: $0, as: UTF8.self) } ?? ""

  private static func bytes(of file: coffer_file) -> [UInt8]? {
    file.bytes.map { Array(UnsafeBufferPointer(start: $0, count: file.size)) }
  }
}
