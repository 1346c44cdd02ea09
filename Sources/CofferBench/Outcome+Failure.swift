import ByteStreams

extension Child.Outcome {
  /// Returns the failure of a run, or `nil` if it succeeded.
  ///
  /// - Parameter step: The measured step, or `nil` for the preparation of a step.
  func failure(of invocation: Invocation, for step: Step?) -> Measurement.Failure? {
    let message = said
    switch ending {
    case .exited(0): return nil
    case .exited(let status) where invocation.program == .shell: return .init(reason: "status \(status)", message: message)
    case .exited(1) where invocation.mayFind: return nil
    case .exited(1) where step == .import || step == .merge:
      return .init(reason: "refused: findings", message: message, isForFindings: true)
    case .exited(1): return .init(reason: "findings", message: message)
    case .exited(2): return .init(reason: "usage", message: message)
    case .exited(3): return .init(reason: "unreadable", message: message)
    case .exited(4): return .init(reason: "refused", message: message)
    case .exited(let status): return .init(reason: "status \(status)", message: message)
    case .signalled(let number): return .init(reason: "signal \(number)", message: message)
    }
  }

  /// The error message without the program's name, or the first line of standard error.
  private var said: String {
    let lines = String(decoding: complaint, as: UTF8.self).split(separator: "\n").map(String.init)
    let name = "coffer: "
    let line = lines.last { $0.hasPrefix(name) } ?? lines.first ?? ""
    return (line.hasPrefix(name) ? String(line.dropFirst(name.count)) : line).printable
  }
}
