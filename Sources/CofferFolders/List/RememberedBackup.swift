import Platform
import Rules

/// What the cache knows about a valid backup.
struct RememberedBackup: Codable, Equatable {
  let name: String
  var state: FileState
  /// The SHA-256 digest of its content.
  let digest: String
  /// The time for which the rules were checked.
  let checkedAt: String
  let format: String
  let version: Int?
  /// The creation date in the document.
  let createdAt: String?
  let app: String?
  let device: String?
  let counts: [Count]

  struct Count: Codable, Equatable {
    let pointer: String
    let title: String
    let count: Int
  }

  /// True if the values are possible. A file that anyone may have written can have others.
  var isPlausible: Bool {
    Instant(checkedAt) != nil && createdAt.map { Instant($0) != nil } ?? true && counts.count <= 1000
      && counts.allSatisfy { (0...1 << 40).contains($0.count) }
  }
}

/// The properties of a file that change when it is written to.
struct FileState: Codable, Equatable {
  let size: Int
  let modified: Time
  /// The time of the last change of the content or the properties, which programs can't set.
  let changed: Time

  struct Time: Codable, Equatable {
    let seconds: Int
    let nanoseconds: Int

    init(_ time: timespec) {
      seconds = Int(time.tv_sec)
      nanoseconds = Int(time.tv_nsec)
    }
  }

  /// Returns `nil` if the name doesn't exist, or is not a regular file.
  init?(_ name: String, in folder: CInt) {
    var information = stat()
    guard fstatat(folder, name, &information, AT_SYMLINK_NOFOLLOW) == 0, information.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    size = Int(information.st_size)
    modified = Time(information.modificationTime)
    changed = Time(information.changeTime)
  }

  /// True if the file was last changed so long before an instant that any later change has another time. File systems have a
  /// resolution of up to two seconds.
  func isSettled(at instant: Instant) -> Bool {
    max(modified.seconds, changed.seconds) < instant.seconds - 2
  }
}
