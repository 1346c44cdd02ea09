import CJSONEvents
import Platform

/// The parser of slices: the lane, with the machine's instruction set, or yajl, which is slower and gives the same results.
package enum SliceParser: String, CaseIterable, Sendable {
  case lane, portable, sse2, avx2, neon
  case yajl

  /// An environment variable that can select another parser than the best one, for diagnosis.
  private static let variable = "COFFER_SLICE_PARSER"
  private static let named = getenv(variable).map { String(cString: $0) }

  package static let preferred: SliceParser = {
    let chosen = named.flatMap { SliceParser(rawValue: $0) } ?? .lane
    return chosen.isSupported ? chosen : .lane
  }()

  /// The reason why the selected parser can't be used, or `nil` if it can, or none is selected.
  package static let complaint: String? = named.flatMap { named in
    guard let parser = SliceParser(rawValue: named) else {
      return "\(variable) must be one of \(allCases.map(\.rawValue).joined(separator: ", "))"
    }
    return parser.isSupported ? nil : "\(variable): this machine does not support \(named)"
  }

  /// True if this machine supports the parser.
  package var isSupported: Bool { kernel.map { coffer_lane_supports($0) != 0 } ?? true }

  /// The lane's kernel, or `nil` for yajl.
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
