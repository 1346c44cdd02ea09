import JSONEvents

extension ReaderLimits {
  /// For what is stored: it came through a reader with limits of its own.
  static var stored: Self {
    var limits = Self()
    limits.depth = 1 << 20
    limits.tokenSize = 1 << 30
    return limits
  }
}
