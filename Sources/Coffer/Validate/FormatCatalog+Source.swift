public import BackupFormats
public import ByteStreams
import LZ4Streams

extension FormatCatalog {
  /// Tells the format of a document by its start, which is read.
  ///
  /// - Parameter source: the document, or LZ4 data that holds it.
  public func detect(_ source: some ByteSource) throws(ByteStreamError) -> Detection {
    var source = try LZ4Source.detecting(source)
    return detect(in: try source.readPrefix(Self.prefixSize))
  }
}
