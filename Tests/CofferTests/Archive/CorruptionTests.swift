import ByteStreams
import Coffer
import SystemPackage
import TestSupport
import Testing
import ZIPArchives

/// Any corruption of an archive is reported or changes nothing that matters.
@Suite struct CorruptionTests {
  @Test(arguments: 0..<8) func `a corruption is reported or leaves the contents unchanged`(part: Int) throws {
    var random = SeededRandom(seed: UInt64(part))
    let archives = [try SampleBackup().archive(), try SampleBackup().archive(compresses: true)]
    let contents = try Self.contents(of: archives[0])
    for round in TestDepth.cases(everyday: 40, deep: 250) {
      let sound = archives[round % 2]
      let damaged = Self.damage(sound, &random)
      let report = try SampleBackup.report(damaged, jobs: 1)
      if report.error != nil || !report.findings.isEmpty { continue }
      // Nothing is reported: the contents must be unchanged.
      #expect(try Self.contents(of: damaged) == contents, "round \(round) of part \(part)")
    }
  }

  /// Returns the contents of the archive by entry name.
  private static func contents(of archive: [UInt8]) throws -> [String: [UInt8]] {
    let reader = ZIPReader(MemorySource(archive))
    var contents: [String: [UInt8]] = [:]
    while let entry = try reader.next() {
      while let piece = try reader.nextPiece() { contents[entry.name, default: []] += piece }
    }
    return contents
  }

  private static func damage(_ archive: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var archive = archive
    for _ in 0...Int.random(in: 0...1, using: &random) {
      let place = Int.random(in: 0..<archive.count, using: &random)
      let length = min(Int.random(in: 1...40, using: &random), archive.count - place)
      switch Int.random(in: 0...6, using: &random) {
      case 0: archive[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      case 1: archive[place] = UInt8.random(in: 0...255, using: &random)
      case 2: archive.removeSubrange(place..<place + length)
      case 3: archive.insert(contentsOf: archive[place..<place + length], at: Int.random(in: 0...archive.count, using: &random))
      case 4: archive.removeLast(archive.count - place)
      case 5: for index in place..<place + length { archive[index] = 0 }
      default: archive.insert(contentsOf: [0x50, 0x4B, 3, 4].prefix(Int.random(in: 1...4, using: &random)), at: place)
      }
      if archive.isEmpty { archive = [0x50] }
    }
    return archive
  }

  @Test func `a corrupt archive unpacks to the same contents or to nothing`() throws {
    let folder = try TemporaryFolder()
    var random = SeededRandom(seed: 77)
    let sound = try SampleBackup().archive(compresses: true)
    let contents = try Self.contents(of: sound)
    for round in TestDepth.cases(everyday: 40, deep: 200) {
      let damaged = Self.damage(sound, &random)
      try folder.write(damaged, to: "backup.zip")
      do {
        try Unpacker().unpack(FileSource(path: folder.path.appending("backup.zip")), to: folder.path.appending("out-\(round)"))
        #expect(try folder.files(below: "out-\(round)") == contents, "round \(round)")
      } catch is CofferError {
        #expect(try folder.files(below: "out-\(round)").isEmpty)
      }
    }
    // Incomplete output was removed.
    #expect(try folder.names.allSatisfy { !$0.hasPrefix(".coffer") })
  }
}
