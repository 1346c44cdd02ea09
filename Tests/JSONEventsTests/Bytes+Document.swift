extension [UInt8] {
  /// The UTF-8 of `text`, in which `‹C0 80›` represents these bytes.
  init(document text: String) {
    self = []
    for (index, piece) in text.split(separator: "‹", omittingEmptySubsequences: false).enumerated() {
      let halves = index == 0 ? ["", piece] : piece.split(separator: "›", maxSplits: 1, omittingEmptySubsequences: false)
      self += halves[0].split(separator: " ").compactMap { UInt8($0, radix: 16) }
      self += halves[1].utf8
    }
  }
}
