/// What goes wrong in one run of a command.
enum Fault: Hashable, Sendable {
  /// How a call, or a named place, goes wrong.
  enum Action: String, Sendable, CaseIterable {
    case noSpace = "ENOSPC"
    case inputOutput = "EIO"
    /// The process is killed in place of the call.
    case kill
    /// It is killed in the middle of what it writes; if the call writes nothing, right behind it.
    case cut
    /// Half of what is to be written is: the command has to see to the rest.
    case short

    var killsProcess: Bool { self == .kill || self == .cut }
  }

  case none
  /// At a named place of the library, when it is reached for the `count`-th time.
  case failpoint(String, Action, count: Int)
  /// At the `number`-th call of those that change the folder, or of the writing ones where it is to be short; after a sticky failure all others fail
  /// too, as on a disk that is full or broken.
  case call(Action, number: Int, isSticky: Bool)
  /// At the `number`-th call that makes a file or folder.
  case creation(Action, number: Int)
  /// The process is killed so long after its beginning.
  case moment(microseconds: Int)

  var action: Action? {
    switch self {
    case .none: nil
    case .failpoint(_, let action, _), .call(let action, _, _), .creation(let action, _): action
    case .moment: .kill
    }
  }

  var killsProcess: Bool { action?.killsProcess ?? false }

  /// What tells the library that is loaded before the command, and the command's own failpoints, of it.
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

  /// The row of the table that it counts in.
  ///
  /// - Parameter fired: what kind of call it was that went wrong, where one did.
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
