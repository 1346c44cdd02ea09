package import SystemPackage

#if COFFER_FAILPOINTS
  import Platform
#endif

/// Named points at which tests can kill the process or make it fail. Release builds contain neither the calls nor the names.
///
/// Environment variables control them, one point per run:
///
///     COFFER_FAILPOINT=before-commit             kill the process there (SIGKILL)
///     COFFER_FAILPOINT=before-commit:ENOSPC      make the call fail as on a full disk
///     COFFER_FAILPOINT=before-commit:EIO         … as on a defective disk
///     COFFER_FAILPOINT=middle-of-table:kill:3    only the third time that the point is reached
///
/// `COFFER_FAILPOINTS_REACHED=FILE` appends the name of each point reached to a file, one per line.
package struct Failpoint: Sendable {
  /// Release builds know the points only by number.
  fileprivate let number: Int

  package static var afterStage: Failpoint { Failpoint(number: 0) }
  package static var middleOfTable: Failpoint { Failpoint(number: 1) }
  package static var afterSafetyCopy: Failpoint { Failpoint(number: 2) }
  package static var beforeApply: Failpoint { Failpoint(number: 3) }
  package static var middleOfApply: Failpoint { Failpoint(number: 4) }
  package static var beforeCommit: Failpoint { Failpoint(number: 5) }
  package static var afterCommit: Failpoint { Failpoint(number: 6) }
  package static var beforePhotosSwap: Failpoint { Failpoint(number: 7) }
  package static var afterPhotosSwap: Failpoint { Failpoint(number: 8) }
  package static var beforeRename: Failpoint { Failpoint(number: 9) }
  package static var afterRename: Failpoint { Failpoint(number: 10) }
  package static var beforeFolderSync: Failpoint { Failpoint(number: 11) }
  package static var beforePruneRemoval: Failpoint { Failpoint(number: 12) }
  package static var betweenPruneRemovals: Failpoint { Failpoint(number: 13) }
  package static var beforePruneSync: Failpoint { Failpoint(number: 14) }
  package static var beforeBackupCommit: Failpoint { Failpoint(number: 15) }
  package static var afterBackupCommit: Failpoint { Failpoint(number: 16) }

  /// Marks a point at which tests can make the run fail.
  ///
  /// - Throws: the failure that the environment requests here; never in release builds.
  @inline(__always)
  package static func reach(_ point: Failpoint) throws(Errno) {
    #if COFFER_FAILPOINTS
      try Plan.shared.reach(names[point.number])
    #endif
  }
}

#if COFFER_FAILPOINTS
  extension Failpoint {
    /// The points' names in the environment, by number.
    fileprivate static let names = [
      "after-stage",
      "middle-of-table",
      "after-safety-copy",
      "before-apply",
      "middle-of-apply",
      "before-commit",
      "after-commit",
      "before-photos-swap",
      "after-photos-swap",
      "before-rename",
      "after-rename",
      "before-folder-sync",
      "before-prune-removal",
      "between-prune-removals",
      "before-prune-sync",
      "before-backup-commit",
      "after-backup-commit",
    ]
  }

  /// The environment's settings, read once.
  private final class Plan: @unchecked Sendable {
    static let shared = Plan()

    private let name: String
    private let failure: Errno?
    private let count: Int
    private var reached = 0
    /// The file that records each point reached.
    private let record: FileDescriptor?
    private var lock = pthread_mutex_t()

    private init() {
      let words = getenv("COFFER_FAILPOINT").map { String(cString: $0) }?.split(separator: ":").map(String.init) ?? []
      name = words.first ?? ""
      failure =
        switch words.dropFirst().first {
        case "ENOSPC": .noSpace
        case "EIO": .ioError
        default: nil
        }
      count = words.count > 2 ? Int(words[2]) ?? 1 : 1
      record = getenv("COFFER_FAILPOINTS_REACHED").flatMap {
        try? FileDescriptor.open(
          $0, .writeOnly, options: [.append, .create, .closeOnExec], permissions: FilePermissions(rawValue: 0o644))
      }
      pthread_mutex_init(&lock, nil)
    }

    func reach(_ place: String) throws(Errno) {
      // Written immediately, so that the record survives being killed here.
      _ = try? record?.writeAll((place + "\n").utf8)
      if name.isEmpty || place != name { return }
      pthread_mutex_lock(&lock)
      reached += 1
      let isDue = reached == count
      pthread_mutex_unlock(&lock)
      if !isDue { return }
      if let failure { throw failure }
      kill(getpid(), SIGKILL)
    }
  }
#endif
