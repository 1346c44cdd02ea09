public import ByteStreams

extension CofferError.Code {
  /// The input is not compressed in a format that Coffer reads.
  public static let notCompressed = Self(rawValue: "not-compressed")
}
