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

extension ByteSource {
  /// Reads so many bytes, or fewer where the source ends before.
  mutating func readPrefix(_ length: Int) throws(ByteStreamError) -> [UInt8] {
    var prefix = [UInt8](repeating: 0, count: length)
    var count = 0
    while count < length {
      var result: Result<Int, ByteStreamError> = .success(0)
      prefix.withUnsafeMutableBytes { bytes in
        do throws(ByteStreamError) {
          result = .success(try self.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[count...])))
        } catch { result = .failure(error) }
      }
      let more = try result.get()
      if more == 0 { break }
      count += more
    }
    prefix.removeLast(length - count)
    return prefix
  }
}
