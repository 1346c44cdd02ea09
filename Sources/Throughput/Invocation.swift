package import SystemPackage

/// One run of the command: what it is told, and what becomes of what it prints.
package struct Invocation: Sendable, Equatable {
  package let arguments: [String]
  /// Whether standard output is wanted; if not, it goes to /dev/null.
  package var keepsOutput = false
  /// Whether findings (exit status 1) are an answer like any other.
  package var mayFind = false
  /// A folder that is to be there before it, and empty.
  package var emptyFolder: FilePath?

  init(_ arguments: [String]) { self.arguments = arguments }
}

extension Invocation {
  /// Says how large the document is, how many records it has, and whether it is sound; and leaves it in the page cache, for all that comes.
  package static func survey(_ document: Document) -> Invocation {
    var invocation = Invocation(["validate", "--json", "--max-findings", "0"] + document.now + [document.file.string])
    invocation.keepsOutput = true
    invocation.mayFind = true
    return invocation
  }

  /// What a step does.
  static func figure(_ figure: Figure, of document: Document, in scratch: Scratch) -> Invocation {
    let jobs = ["--jobs", String(figure.jobs)]
    let file = document.file.string
    switch figure.step {
    case .parse:
      let rules = ["--rules", scratch.rules.string, "--duplicate-keys", "allow"]
      return Invocation(["validate", "--json", "--max-findings", "0"] + rules + jobs + [file])
    case .validate:
      var invocation = Invocation(["validate", "--json", "--max-findings", "0"] + document.now + jobs + [file])
      invocation.mayFind = true
      return invocation
    case .convert: return Invocation(["convert", "--compact"] + jobs + [file, "-"])
    case .compress:
      return Invocation(["compress"] + jobs + [document.kind == .lz4 ? scratch.plain.string : file, "-"])
    case .decompress:
      return Invocation(["decompress"] + jobs + [document.kind == .lz4 ? file : scratch.compressed.string, "-"])
    case .import: return importing(document, scratch, jobs)
    case .merge:
      let mode = ["--mode", "merge", "--on-conflict", "replace"]
      return Invocation(["import", file, "--into", scratch.database.string] + mode + document.now + jobs)
    case .export: return Invocation(["export", scratch.database.string, scratch.nowhere(for: document.kind).string] + jobs)
    }
  }

  static func importing(_ document: Document, _ scratch: Scratch, _ jobs: [String] = []) -> Invocation {
    let mode = ["--mode", "replace", "--force"]
    var invocation = Invocation(["import", document.file.string, "--into", scratch.database.string] + mode + document.now + jobs)
    invocation.emptyFolder = scratch.databaseFolder
    return invocation
  }
}
