import ByteStreams
import Findings
import LZ4Streams
import ZIPArchives

extension ZIPReader {
  /// Returns the data of the current entry, whose name identifies it as the document.
  ///
  /// - Throws: `CofferError` if it can't be read, is an archive or compressed again, which no app reads.
  func document(_ entry: ZIPEntry) throws -> any ByteSource {
    if let fault = faults.last, fault.code == .zipEncrypted, fault.place.entry == entry.name { throw fault }
    var prefix: [UInt8] = []
    while prefix.count < ForeignCompression.signatureLength, let piece = try nextPiece() { prefix += piece }
    if Self.isArchive(prefix) {
      throw CofferError(.zipArchive, "\(entry.name) must be plain JSON, but is a ZIP archive")
    }
    if try LZ4Source.detecting(MemorySource(prefix)) is LZ4Source {
      throw CofferError(.lz4Entry, "\(entry.name) must be plain JSON, but is compressed by LZ4")
    }
    if let compression = ForeignCompression(of: prefix) {
      throw CofferError(.foreignCompression, "\(entry.name) must be plain JSON, but is compressed by \(compression.name)")
    }
    return PrefixedSource(prefix: prefix, rest: contents)
  }
}
