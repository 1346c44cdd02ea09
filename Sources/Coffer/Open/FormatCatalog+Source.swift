public import BackupFormats
public import ByteStreams
import CompressedStreams

extension FormatCatalog {
  /// Reads the start of a document, and detects its format.
  ///
  /// - Parameters:
  ///   - source: the document, or compressed data that holds it.
  ///   - container: the document's container.
  public func detect(
    _ source: some ByteSource, container: BackupFormat.Container = .json
  ) throws(CofferError) -> Detection {
    var source = try Decompression(source).source
    return detect(in: try source.readPrefix(Self.prefixSize), container: container)
  }
}
