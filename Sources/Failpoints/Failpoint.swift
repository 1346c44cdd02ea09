package import SystemPackage

#if COFFER_FAILPOINTS
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #else
    import Darwin
  #endif
#endif

/// Named places at which tests end the process, or have it fail. Builds for release have none: neither the calls nor the names.
///
/// The environment says what happens where, a place once:
///
///     COFFER_FAILPOINT=before-commit             the process is killed (SIGKILL) there
///     COFFER_FAILPOINT=before-commit:ENOSPC      the call fails as on a full disk
///     COFFER_FAILPOINT=before-commit:EIO         … as on a broken one
///     COFFER_FAILPOINT=middle-of-table:kill:3    only the third time that the place is reached
///
/// `COFFER_FAILPOINTS_REACHED=FILE` has the name of each place that is reached appended to a file, a line each time.
package struct Failpoint: Sendable {
  /// Releases know the places by number alone.
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

  /// The run has come to a place that tests may choose.
  ///
  /// - Throws: what the environment wants to go wrong here; never in builds for release.
  @inline(__always)
  package static func reach(_ point: Failpoint) throws(Errno) {
    #if COFFER_FAILPOINTS
      try Plan.shared.reach(names[point.number])
    #endif
  }
}

#if COFFER_FAILPOINTS
  extension Failpoint {
    /// What the environment calls the places, by number.
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

  /// What the environment says, read once.
  private final class Plan: @unchecked Sendable {
    static let shared = Plan()

    private let name: String
    private let failure: Errno?
    private let count: Int
    private var reached = 0
    /// Where each place that is reached is noted.
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
      // Written at once: a process that is killed here has noted it.
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
