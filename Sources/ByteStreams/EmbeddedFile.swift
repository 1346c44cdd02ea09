import CEmbeddedFiles

/// A file of this repository that is compiled in; `CEmbeddedFiles` lists them.
package enum EmbeddedFile {
  package static func metaSchema(_ name: String) -> [UInt8] { bytes(of: coffer_meta_schema(name), name) }

  package static func format(_ name: String) -> [UInt8] { bytes(of: coffer_format(name), name) }

  /// The names of all formats, in order.
  package static var formatNames: [String] {
    (0...).lazy.map(coffer_format_name).prefix { $0 != nil }.compactMap { $0.map { String(cString: $0) } }
  }

  package static func keywordPage(_ name: String) -> [UInt8] { bytes(of: coffer_keyword_page(name), name) }

  private static func bytes(of file: coffer_file, _ name: String) -> [UInt8] {
    guard let bytes = file.bytes else { preconditionFailure("CEmbeddedFiles has no file '\(name)'") }
    return Array(UnsafeBufferPointer(start: bytes, count: file.size))
  }
}
