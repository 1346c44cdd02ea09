import ArgumentParser
import ByteStreams
import Coffer
import SystemPackage

struct ReportKeysCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Find duplicate keys and dangling references among the rows of tasks.",
    usage: "coffer report keys [<options>] <rows> ...",
    discussion: """
      Tasks that are run with --keys write operations on keys as rows, divided among buckets: see coffer split --key-buckets. This \
      command processes one bucket. It needs the rows of all tasks, and those of coffer report merge --keys. Rows of other buckets \
      may be left out of the files; the format is in docs/scale-out.md.

      Examples:
        coffer validate --plan p.json --task 0 --partial 0.partial --keys 0.rows
        coffer report merge --plan p.json --keys merge.rows *.partial
        coffer report keys --plan p.json --bucket 0 --output 0.violations *.rows
        coffer report merge --plan p.json --violations 0.violations *.partial

      Exit status: 0 the violations were written; 2 wrong usage or rules; 3 a file can't be read or written, or is damaged; 4 rows \
      are missing or belong to another plan, an output would replace an input, or the disk is full.
      """)

  @Argument(.file.named("rows"), "The files with rows.")
  var rows: [String]

  @Option(.file(ending: ["json"]), "The plan of coffer split.")
  var plan: String

  @Option(.count, "The bucket's number, from 0.")
  var bucket: Int

  @Option(.file, "Write the violations to this file, which is replaced.")
  var output: String

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  func checkArguments() throws {
    if rows.isEmpty { throw ValidationError("name the files with rows") }
  }

  var use: FileUse { FileUse(inputs: rows + [plan], reports: [output], subject: "the result") }

  func run() throws {
    try progressArgument.work("checking keys") { progress in
      let execution = Execution(progress)
      let opened = try OpenedPlan(plan, files: [], execution)
      let join = try KeyBucket(bucket, of: opened.plan, digest: opened.digest, opened.validator)
      let inputs = try rows.map { try StoredBytes.regularFile($0, execution) }
      var file = try OutputFile(output, existing: .replace)
      try join.decide(inputs, to: &file)
      try file.commit()
    }
  }
}
