import Foundation
import TestSupport

/// The output of `coffer inspect --now 2026-07-01T00:00:00Z` for each example document, without the file name.
///
/// It has every field of the file that the format's app shows before an import.
enum InspectedExamples {
  /// The folder of the example documents.
  static let folder = Checkout.formatExamples

  static let outputs: [String: String] = [
    "aquavate": #"""
      format     aquavate: Aquavate (water-bottle tracker, iOS)
      because    /formatVersion exists, /bottles exists, /drinkRecords exists, /motionWakeEvents exists, and 8 more
      version    1 (known: 1)
      import     yes
      created    2026-02-10T18:30:00Z, 140 days old
      app        1.0
      container  JSON
      size       2.4 kB (2,356 bytes)
      settings   included

      collection         count  from                  to                    by               size
      bottles                1                                                              235 B
      drinks                 3  2026-02-09T09:15:20Z  2026-02-10T12:47:05Z  timestamp       968 B
      wake events            2  2026-02-10T08:02:10Z  2026-02-10T13:30:00Z  timestamp       527 B
      backpack sessions      1  2026-02-10T13:30:25Z  2026-02-10T13:30:25Z  startTimestamp  252 B

      also       settings (object, 5 members)

    """#,
    "ev-charging-tracker-spec": #"""
      format     ev-charging-tracker-specification: EV charging tracker (iOS), as its specification describes it
      because    /cars/*/milleageSyncedAt exists, /expenses/*/energyCharged exists, /cars exists, /expenses exists, and 7 more
      version    1 (known: 1 to 9)
      import     yes, migrated to version 9
      created    2026-01-11T21:00:00Z, 170 days old
      app        2026.1.1
      device     Sample Phone
      container  JSON
      size       1.3 kB (1,277 bytes)
      settings   included

      collection           count  from                  to                    by              size
      cars                     1  2025-11-02T09:00:00Z  2025-11-02T09:00:00Z  createdAt      312 B
      expenses                 1  2026-01-10T17:40:00Z  2026-01-10T17:40:00Z  date           311 B
      planned maintenance      1  2026-03-01T08:00:00Z  2026-03-01T08:00:00Z  scheduledDate  161 B
      notifications            1  2026-02-28T08:00:00Z  2026-02-28T08:00:00Z  scheduledDate  164 B

      also       metadata (object, 4 members), userSettings (object, 2 members)

      warning: version 1 is older than the current version 9 [older-version]

    """#,
    "ev-charging-tracker-v5": #"""
      format     ev-charging-tracker: EV charging tracker (iOS), as the shipped app writes it
      because    /cars/*/milleageSyncedAt exists, /expenses/*/energyCharged exists, /cars exists, /expenses exists, and 3 more
      version    5 (known: 5 to 9)
      import     yes, migrated to version 9
      created    2026-01-13T07:00:00Z, 168 days old
      app        2026.1.1 (150)
      device     sample-phone.local
      container  JSON
      size       982 bytes
      settings   included

      collection            count  from                  to                    by          size
      cars                      1  2025-11-02T09:00:00Z  2025-11-02T09:00:00Z  createdAt  312 B
      expenses                  1  2025-11-02T09:00:00Z  2025-11-02T09:00:00Z  date       325 B
      planned maintenance       0                                                           2 B
      notifications             0                                                           2 B
      documents            absent
      ideas                absent

      also       metadata (object, 4 members), userSettings (object, 2 members)

      warning: version 5 is older than the current version 9 [older-version]

    """#,
    "ev-charging-tracker": #"""
      format     ev-charging-tracker: EV charging tracker (iOS), as the shipped app writes it
      because    /cars/*/milleageSyncedAt exists, /expenses/*/energyCharged exists, /delayedNotifications/*/notificationId exists, /cars exists, and 4 more
      version    9 (known: 5 to 9)
      import     yes
      created    2026-06-28T20:15:00Z, 2 days old
      app        2026.3.1 (214)
      device     sample-phone.local
      container  JSON
      size       3.1 kB (3,060 bytes)
      settings   included

      collection           count  from                  to                    by          size
      cars                     2  2025-11-02T09:00:00Z  2026-05-01T09:00:00Z  createdAt  798 B
      expenses                 3  2026-06-12T10:05:00Z  2026-06-27T17:40:00Z  date       954 B
      planned maintenance      1  2026-06-01T12:00:00Z  2026-06-01T12:00:00Z  createdAt  204 B
      notifications            1  2026-06-01T12:00:00Z  2026-06-01T12:00:00Z  createdAt  224 B
      documents                1  2026-03-10T09:00:00Z  2026-03-10T09:00:00Z  createdAt  260 B
      ideas                    1  2026-04-02T18:00:00Z  2026-04-02T18:00:00Z  createdAt  249 B

      also       metadata (object, 4 members), userSettings (object, 2 members)

    """#,
    "keeptrack-legacy-entrystore": #"""
      format     keeptrack-legacy-entries: KeepTrack, the entries before January 2026 (entrystore.json)
      because    /*/goalMet exists, /*/units exists
      import     yes, migrated to keeptrack, version 1
      container  JSON
      size       335 bytes

      collection  count  from                  to                    by
      entries         2  2026-01-20T07:30:12Z  2026-01-20T09:00:00Z  date

      warning: its format has been replaced by keeptrack [older-format]

    """#,
    "keeptrack-legacy-goalsstore": #"""
      format     keeptrack-legacy-goals: KeepTrack, the goals before January 2026 (goalsstore.json)
      because    /*/dosage exists, /*/dates exists
      import     yes, migrated to keeptrack, version 1
      container  JSON
      size       276 bytes

      collection  count
      goals           1

      warning: its format has been replaced by keeptrack [older-format]

    """#,
    "keeptrack-legacy-intakeTypes": #"""
      format     keeptrack-legacy-intake-types: KeepTrack, the intake types before January 2026 (intakeTypes.json)
      because    /*/descrip exists, /*/unit exists
      import     yes, migrated to keeptrack, version 1
      container  JSON
      size       370 bytes

      collection    count
      intake types      2

      warning: its format has been replaced by keeptrack [older-format]

    """#,
    "keeptrack": #"""
      format     keeptrack: KeepTrack (intake and medication log, Apple platforms)
      because    /entries exists, /intakeTypes exists, /goals exists, /exportDate exists, and 6 more
      version    1 (known: 1)
      import     yes
      created    2026-01-20T21:05:00Z, 161 days old
      container  JSON
      size       1.6 kB (1,620 bytes)
      settings   included

      collection    count  from                  to                    by     size
      entries           3  2026-01-19T22:10:45Z  2026-01-20T09:00:00Z  date  589 B
      intake types      2                                                    403 B
      goals             1                                                    316 B

      also       settings (object, 6 members)

    """#,
    "smilepile-android-v1": #"""
      format     smilepile: SmilePile (photo piles for children, iOS and Android)
      dialect    Android, bare JSON
      because    /settings/securitySettings/kidSafeModeEnabled exists, /categories/*/displayName exists, /categories/*/position exists, /photos/*/categoryId exists, and 3 more
      version    1 (known: 1 to 2)
      import     yes, migrated within version 1
      created    2025-10-02T14:30:22Z (written 1759415422000), 271 days old
      app        25.10.02.002
      container  JSON
      size       1.2 kB (1,209 bytes)
      settings   included

      collection    count  from                  to                        by          size
      categories        2  2025-10-01T10:00:00Z  2025-10-01T12:00:00.123Z  createdAt  381 B
      photos            2  2025-10-01T12:01:00Z  2025-10-01T14:46:40Z      createdAt  494 B
      photo files  absent

      also       format (string), settings (object, 2 members)

      warning: version 1 is older than the current version 2 [older-version]

    """#,
    "smilepile-android": #"""
      format     smilepile: SmilePile (photo piles for children, iOS and Android)
      dialect    Android, metadata of a ZIP
      because    /settings/securitySettings/kidSafeModeEnabled exists, /photoManifest/*/zipEntryName exists, /categories/*/displayName exists, /categories/*/position exists, and 7 more
      version    missing, which means 1 (known: 1 to 2)
      import     yes, migrated within version 1
      created    2025-10-02T14:30:22Z (written 1759415422000), 271 days old
      app        25.10.02.002
      container  JSON
      size       1.7 kB (1,718 bytes)
      settings   included

      collection   count  from                  to                        by          size
      categories       2  2025-10-01T10:00:00Z  2025-10-01T12:00:00.123Z  createdAt  381 B
      photos           2  2025-10-01T12:01:00Z  2025-10-01T14:46:40Z      createdAt  494 B
      photo files      2                                                             524 B

      also       settings (object, 2 members)

      warning: version 1 is older than the current version 2 [older-version]

    """#,
    "smilepile-spec-v1.backup_metadata": #"""
      format     smilepile-specification: SmilePile (iOS), as its specification describes it
      because    /settings/kidsModeEnabled exists, /photos/*/caption exists, /photos/*/categoryId exists, /categories/*/orderIndex exists, and 4 more
      version    1.0 (known: 1)
      import     yes
      created    2025-10-02T14:30:22Z, 271 days old
      container  JSON
      size       803 bytes
      settings   included

      collection  count  from                  to                    by          size
      categories      2                                                         279 B
      photos          2  2025-10-01T12:01:00Z  2025-10-01T14:46:40Z  timestamp  361 B

      also       settings (object, 2 members)

    """#,
    "smilepile-spec-v1.manifest": #"""
      format     unknown
      import     no: unknown format
      container  JSON
      size       155 bytes

      also       backupVersion (string), appVersion (string), platform (string), timestamp (string), photoCount (number), categoryCount (number)

    """#,
    "smilepile": #"""
      format     smilepile: SmilePile (photo piles for children, iOS and Android)
      dialect    iOS
      because    /settings/securitySettings/kidSafeModeEnabled exists, /photoManifest/*/zipEntryName exists, /categories/*/displayName exists, /categories/*/position exists, and 7 more
      version    2 (known: 1 to 2)
      import     yes
      created    2025-10-02T14:30:22Z (written 1759415422000), 271 days old
      app        25.10.02.002
      container  JSON
      size       1.8 kB (1,837 bytes)
      settings   included

      collection   count  from                  to                        by          size
      categories       2  2025-10-01T10:00:00Z  2025-10-01T12:00:00.123Z  createdAt  407 B
      photos           2  2025-10-01T12:01:00Z  2025-10-01T14:46:40Z      createdAt  552 B
      photo files      2                                                             524 B

      also       format (string), settings (object, 2 members)

    """#,
    "swiff": #"""
      format     swiff: Swiff (shared expenses and subscriptions, iOS)
      dialect    since the 3.0 line (January 2026)
      because    /metadata/peopleCount exists, /people exists, /groups exists, /subscriptions exists, and 10 more
      version    1 (known: 1)
      import     yes
      created    2026-02-01T09:30:00Z, 149 days old
      app        1.1
      container  JSON
      size       4.5 kB (4,464 bytes)

      collection         count  from                  to                    by             size
      people                 2  2025-12-01T10:00:00Z  2025-12-03T08:00:00Z  createdDate  1.2 kB
      groups                 1  2026-01-05T12:00:00Z  2026-01-05T12:00:00Z  createdDate   850 B
        expenses             1
      subscriptions          1  2025-11-14T07:00:00Z  2025-11-14T07:00:00Z  createdDate  1.1 kB
        retentionOffers      1
        documents            0
      transactions           2  2026-01-14T06:00:00Z  2026-01-20T19:10:00Z  date          897 B

      also       metadata (object, 7 members)

    """#,
  ]
}
