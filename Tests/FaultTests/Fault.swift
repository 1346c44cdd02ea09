/// What goes wrong in one run of a command.
enum Fault: Hashable, Sendable {
  /// How a call or a failpoint goes wrong.
  enum Action: String, Sendable, CaseIterable {
    case noSpace = "ENOSPC"
    case inputOutput = "EIO"
    /// The process is killed in place of the call.
    case kill
    /// The process is killed in the middle of a write; if the call writes nothing, right after it.
    case cut
    /// Only half of the bytes are written: the command must write the rest.
    case short

    var killsProcess: Bool { self == .kill || self == .cut }
  }

  case none
  /// At a failpoint of the library, when it is reached for the `count`-th time.
  case failpoint(String, Action, count: Int)
  /// At the `number`-th call that changes the folder, or that writes if the action is `short`; after a sticky failure all later
  /// calls fail, too, as on a disk that is full or broken.
  case call(Action, number: Int, isSticky: Bool)
  /// At the `number`-th call that creates a file or folder.
  case creation(Action, number: Int)
  /// The process is killed this long after its start.
  case moment(microseconds: Int)

  var action: Action? {
    switch self {
    case .none: nil
    case .failpoint(_, let action, _), .call(let action, _, _), .creation(let action, _): action
    case .moment: .kill
    }
  }

  var killsProcess: Bool { action?.killsProcess ?? false }

  /// The environment that passes the fault to the preloaded library or to the command's failpoints.
  var environment: [String: String] {
    switch self {
    case .none: [:]
    case .failpoint(let name, let action, let count): ["COFFER_FAILPOINT": "\(name):\(action.rawValue):\(count)"]
    case .call(let action, let number, let isSticky):
      [
        "FAULT_ACTION": action.rawValue, "FAULT_NUMBER": "\(number)", "FAULT_STICKY": isSticky ? "1" : "0",
        "FAULT_CALL": action == .short ? "write" : "any",
      ]
    case .creation(let action, let number):
      ["FAULT_ACTION": action.rawValue, "FAULT_NUMBER": "\(number)", "FAULT_STICKY": "0", "FAULT_CALL": "create"]
    case .moment(let microseconds): ["FAULT_AFTER": "\(microseconds)"]
    }
  }

  /// Returns the row of the table that the fault counts in.
  ///
  /// - Parameter fired: the kind of call that went wrong, if one did.
  func row(fired: String?) -> String {
    switch self {
    case .none: "none"
    case .failpoint(let name, let action, _): "at \(name): \(action.rawValue)"
    case .call(let action, _, let isSticky): "\(fired ?? "call"): \(action.rawValue)\(isSticky ? ", and all that follow" : "")"
    case .creation(let action, _): "create: \(action.rawValue)"
    case .moment: "at some moment: kill"
    }
  }
}
