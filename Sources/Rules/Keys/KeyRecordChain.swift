import ByteStreams

/// Records on disk, in the order of writing.
struct KeyRecordChain {
  private let chain: SpillFile.Chain
  private var coder = KeyRecordCoder()

  init(in file: SpillFile) { chain = file.makeChain() }

  mutating func append(_ record: KeyRecord, to file: SpillFile, through buffer: inout RecordBuffer) throws(CofferError) {
    buffer.removeAll()
    coder.encode(record, into: &buffer)
    try buffer.withBytes { bytes throws(CofferError) in try file.append(bytes, to: chain) }
  }

  func records(in file: SpillFile) -> Records { Records(chain, in: file) }

  func free(in file: SpillFile) { file.free(chain) }

  /// An iterator over the records of a chain.
  struct Records {
    private let chain: SpillFile.Chain
    private let file: SpillFile
    private var reader = KeyRecordReader()
    private var offset = 0

    fileprivate init(_ chain: SpillFile.Chain, in file: SpillFile) {
      self.chain = chain
      self.file = file
    }

    /// - Throws: `inputOutput` if the file can't be read, or is damaged.
    mutating func next() throws(CofferError) -> KeyRecord? {
      while true {
        if let record = reader.next() { return record }
        let (file, chain, offset) = (file, chain, offset)
        let count = try reader.refill(count: 1 << 16) { bytes throws(CofferError) in
          try file.read(chain, at: offset, into: bytes)
        }
        if count == 0 { break }
        self.offset += count
      }
      if !reader.isAtEnd { throw file.damaged }
      return nil
    }
  }
}
