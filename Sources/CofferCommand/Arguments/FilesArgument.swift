import ArgumentParser
import ByteStreams
import Coffer
import CompressedStreams
import Platform
import SystemPackage

/// The backups of a verb that takes any number of them: as arguments, in folders, and in lists of names.
struct FilesArgument: ParsableArguments {
  @Argument(
    .backup,
    "The backups: JSON (also in LZ4, gzip or zstd), or ZIP; folders, with all backups in and below them; - is standard input.")
  var files: [String] = []

  @Option(.file, "Read names of more files from this one: one on each line, or each ended by NUL; - is standard input.")
  var filesFrom: String?

  @Option(.value("pattern"), "Of folders, take the files that match, such as '*.json' or 'exports/**/*.json'. May be repeated.")
  var include: [String] = []

  /// The largest list of names.
  private static let listLimit = 1 << 30

  func validate() throws {
    do { _ = try include.map { text throws(InvalidPattern) in try PathPattern(text) } } catch {
      throw ValidationError("--include: \(error.message)")
    }
  }

  /// The list of names, if there is one.
  var lists: [String] { filesFrom.map { [$0] } ?? [] }

  /// Throws if there can be no file.
  func checkPresence() throws {
    if files.isEmpty, filesFrom == nil { throw ValidationError("name at least one file or folder, or - for standard input") }
  }

  /// Replaces the list and the folders by the files that they name. Prints an error, and throws the exit status, if there are none.
  mutating func expand() throws(ExitStatus) {
    if let filesFrom {
      files += try Self.names(in: filesFrom)
    }
    let folders = Set(files.filter(FileComparison.isFolder))
    if folders.isEmpty {
      if !include.isEmpty {
        Output.printNotice("coffer: --include has no effect: it chooses files of folders, and none is given")
      }
      return
    }
    var expanded: [String] = []
    for file in files {
      if folders.contains(file) { expanded += try backups(in: file) } else { expanded.append(file) }
    }
    files = expanded
  }

  // MARK: Lists

  private static func names(in list: String) throws(ExitStatus) -> [String] {
    let name = FileSource.name(ofArgument: list)
    let problem: String
    do throws(CofferError) {
      var source = try FileSource(argument: list, cancellation: Interruption.start())
      var bytes = try source.readPrefix(listLimit + 1)
      let isEnded = bytes.contains(0)
      // Some editors write a byte order mark.
      if !isEnded, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
      let lines = bytes.split { isEnded ? $0 == 0 : $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      let names = lines.compactMap { String(validating: $0, as: UTF8.self) }
      if bytes.count > listLimit {
        problem = "the list is larger than 1 GiB"
      } else if names.isEmpty {
        problem = "the list names no file"
      } else if let number = lines.firstIndex(where: { String(validating: $0, as: UTF8.self) == nil }) {
        problem = "name \(number + 1) is not UTF-8: rename the file"
      } else {
        // In a list, - is a file of this name.
        return names.map { $0 == "-" ? "./-" : $0 }
      }
    } catch {
      Output.printError(error.text(inputs: [name], rules: ""))
      throw ExitStatus(error)
    }
    Output.printError("\(name): \(problem)")
    throw .usage
  }

  // MARK: Folders

  /// Returns the paths of a folder's backups in their order, and says what was left out.
  private func backups(in folder: String) throws(ExitStatus) -> [String] {
    let patterns = include.compactMap { try? PathPattern($0) }
    let endings = FormatCatalog.builtIn.fileEndings
    var (found, others) = ([String](), 0)
    // The names below the folder that lead to each folder still to be read.
    var rest: [[String]] = [[]]
    while let names = rest.popLast() {
      let path = names.reduce(FilePath(folder)) { $0.appending($1) }
      guard let content = FolderNames(path) else {
        // Its report has the error.
        found.append(path.string)
        continue
      }
      if content.otherCount > 0 {
        Output.printError("\(path): \(content.otherCount.counted("name is", "names are")) not UTF-8: rename the files")
        throw .unreadable
      }
      for name in content.names where !name.hasPrefix(".") {
        let file = path.appending(name)
        // A link to a folder may lead back to it.
        let type = (try? file.stat(followTargetSymlink: false))?.type
        if type == .directory {
          rest.append(names + [name])
        } else if type == .regular || isFile(file),
          patterns.isEmpty ? Self.isBackup(name, endings) : patterns.contains(where: { $0.matches(names + [name]) })
        {
          found.append(file.string)
        } else {
          others += 1
        }
      }
    }
    let left = others == 0 ? "" : "; \(others.counted("other")) left out"
    if found.isEmpty {
      let wanted = patterns.isEmpty ? "has the name of a backup, such as export.json" : "matches --include"
      Output.printError("\(folder): no file in this folder \(wanted)\(left)")
      throw .usage
    }
    if others > 0 {
      Output.printNotice("coffer: \(folder.printable): \(found.count.counted("backup"))\(left) (--include chooses)")
    }
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Returns true for a regular file, and for a link to nothing, whose report has the error. Reading others may never end.
  private func isFile(_ path: FilePath) -> Bool { (try? path.stat().type).map { $0 == .regular } ?? true }

  private static func isBackup(_ name: String, _ endings: [String]) -> Bool {
    let name = CompressionFormat.plainName(of: name.lowercased())
    return ([".json", ".jsonl", ".ndjson", ".zip"] + endings).contains(where: name.hasSuffix)
  }
}

/// A verb that takes any number of backups.
protocol FilesVerb: Verb {
  var filesArgument: FilesArgument { get set }
}

extension FilesVerb {
  var files: [String] { filesArgument.files }

  /// Returns the verb with many files (see `FilesArgument.takenOut`), or as it is if there are none. Prints what is wrong with them, and
  /// throws the exit status.
  func with(_ files: [String]) throws -> Self {
    if files.isEmpty { return self }
    var verb = self
    verb.filesArgument.files = files
    do { try verb.validate() } catch let error as ValidationError {
      Output.printError(error.message)
      throw ExitStatus.usage
    }
    return verb
  }
}

extension FilesArgument {
  /// Takes the files out of many arguments, and leaves the first there.
  ///
  /// swift-argument-parser 1.8 removes each argument from an array as it takes it: 20,000 names take 17 seconds.
  static func takenOut(of arguments: [String]) -> (others: [String], files: [String]) {
    guard arguments.count > 100, Run.current.verb is any FilesVerb.Type else { return (arguments, []) }
    let valued = Run.current.verbOptions(.takingValues)
    var others = Array(arguments.prefix(Run.current.verbWords))
    var rest = arguments.dropFirst(others.count)
    var files: [String] = []
    while let word = rest.popFirst() {
      if word == "--" {
        files += rest
        rest = []
      } else if word == "-" || !word.hasPrefix("-") {
        files.append(word)
      } else {
        others.append(word)
        if valued.contains(word), let value = rest.popFirst() { others.append(value) }
      }
    }
    return (others + (files.isEmpty ? [] : ["--", files[0]]), files)
  }
}
