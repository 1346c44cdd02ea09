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

  /// A variable of the environment that may name another than the best, for diagnosis.
  private static let variable = "COFFER_SLICE_PARSER"
  private static let named = getenv(variable).map { String(cString: $0) }

  package static let preferred: SliceParser = {
    let chosen = named.flatMap { SliceParser(rawValue: $0) } ?? .lane
    return chosen.isSupported ? chosen : .lane
  }()

  /// Why what the variable names can't be used; `nil` if it can, or nothing is named.
  package static let complaint: String? = named.flatMap { named in
    guard let parser = SliceParser(rawValue: named) else {
      return "\(variable) is none of \(allCases.map(\.rawValue).joined(separator: ", "))"
    }
    return parser.isSupported ? nil : "\(variable): this machine has no \(named)"
  }

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
