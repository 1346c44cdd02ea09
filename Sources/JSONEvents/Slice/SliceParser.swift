import CJSONEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What reads slices: the lane, with the instructions that the machine has, or yajl, which is slower and says the same.
package enum SliceParser: String, CaseIterable, Sendable {
  case lane, portable, sse2, avx2, neon
  case yajl

  /// For diagnosis, the variable `COFFER_SLICE_PARSER` in the environment may name another than the best.
  package static let preferred: SliceParser = {
    let named = getenv("COFFER_SLICE_PARSER").flatMap { SliceParser(rawValue: String(cString: $0)) }
    return named.flatMap { $0.isSupported ? $0 : nil } ?? .lane
  }()

  /// Whether this machine has what it needs.
  package var isSupported: Bool { kernel.map { coffer_lane_supports($0) != 0 } ?? true }

  /// `nil`: it is yajl.
  var kernel: coffer_lane_kernel? {
    switch self {
    case .lane: COFFER_LANE_BEST
    case .portable: COFFER_LANE_PORTABLE
    case .sse2: COFFER_LANE_SSE2
    case .avx2: COFFER_LANE_AVX2
    case .neon: COFFER_LANE_NEON
    case .yajl: nil
    }
  }
}
