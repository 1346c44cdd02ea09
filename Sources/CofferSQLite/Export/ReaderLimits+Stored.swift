import JSONEvents

extension ReaderLimits {
  /// Limits for stored text, which was already read with other limits.
  static var stored: Self {
    var limits = Self()
    limits.depth = 1 << 20
    limits.tokenSize = 1 << 30
    return limits
  }
}
