public import JSONEvents
public import Rules

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Instant {
  /// Creates the instant of a date, to the nanosecond. Dates more than about 12,000 years from 1970 become the nearest instant
  /// within that time.
  public init(_ date: Date) {
    let (interval, limit) = (date.timeIntervalSince1970, 3.8e11)
    let seconds = interval.isNaN ? 0 : min(max(interval, -limit), limit)
    let whole = seconds.rounded(.down)
    self.init(seconds: Int64(whole), attoseconds: Int64((seconds - whole) * 1e9) * 1_000_000_000)
  }

  /// The date of the instant, as exact as `Date` is.
  public var date: Date {
    Date(timeIntervalSince1970: Double(seconds) + Double(attoseconds) / 1e18)
  }
}

extension Backup {
  /// Creates a backup from a file.
  ///
  /// - Parameters:
  ///   - url: a file URL.
  ///   - syntax: the syntax (default: by the file's name).
  public init(url: URL, syntax: JSONSyntax? = nil) {
    self.init(path: url.path, syntax: syntax)
  }
}
