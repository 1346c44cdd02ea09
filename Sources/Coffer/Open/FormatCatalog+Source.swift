public import BackupFormats
public import ByteStreams
import LZ4Streams

extension FormatCatalog {
  /// Reads the start of a document, and detects its format.
  ///
  /// - Parameters:
  ///   - source: the document, or LZ4 data that holds it.
  ///   - container: the document's container.
  public func detect(
    _ source: some ByteSource, container: BackupFormat.Container = .json
  ) throws(CofferError) -> Detection {
    var source = try LZ4Source.detecting(source)
    return detect(in: try source.readPrefix(Self.prefixSize), container: container)
  }
}
