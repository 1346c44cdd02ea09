public import ByteStreams

extension CofferError {
  /// The error's position in the document; an impossible one if it has none.
  public var position: TextPosition { place.position ?? TextPosition(offset: -1, line: -1, column: -1) }
}
