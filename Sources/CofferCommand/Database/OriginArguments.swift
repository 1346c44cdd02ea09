import ArgumentParser
import BackupFormats
import Coffer
import CofferSQLite

/// The origin to write to an exported backup: creation date, app and device.
struct OriginArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The creation date to write: a time (RFC 3339), or now.", valueName: "time"))
  var createdAt: MomentArgument?

  @Option(help: ArgumentHelp("The app to write as the backup's creator.", valueName: "text"))
  var app: String?

  @Option(help: ArgumentHelp("The device to write as the backup's origin.", valueName: "text"))
  var device: String?

  var isEmpty: Bool { createdAt == nil && app == nil && device == nil }

  /// - Throws: `ExitStatus.usage`, after printing the reason, if documents of the format have no field for one of them.
  func check(_ format: BackupFormat) throws {
    let options = [
      ("--created-at", createdAt != nil, format.origin.createdAt), ("--app", app != nil, format.origin.app),
      ("--device", device != nil, format.origin.device),
    ]
    for (name, isUsed, pointer) in options where isUsed && pointer == nil {
      Output.printError("\(name) can't be used here: backups of '\(format.name)' have no field for it")
      throw ExitStatus.usage
    }
  }

  /// - Parameter now: the time that `now` means.
  func options(now: Instant) -> StoreExportOptions {
    var options = StoreExportOptions()
    options.createdAt = createdAt.map { $0.instant ?? now }
    options.backedUpAt = options.createdAt ?? now
    options.app = app
    options.device = device
    return options
  }
}

/// A point in time, or `now`.
struct MomentArgument: ExpressibleByArgument {
  /// `nil` means now.
  let instant: Instant?

  init?(argument: String) {
    if argument == "now" {
      instant = nil
    } else if let time = TimeArgument(argument: argument) {
      instant = time.instant
    } else {
      return nil
    }
  }
}
