// The code in the overview of SyntheticBackups.

// snippet: overview
import Coffer
import SyntheticBackups

/// Writes a backup of about 1 MB with four defects, and returns the findings that a validator must report.
func generate(_ format: BackupFormat, to path: FilePath, seed: UInt64) throws -> [LedgerEntry] {
  let options = SyntheticBackup.Options(size: 1_000_000, seed: seed, defects: [.reference: 3, .required: 1])
  let backup = try SyntheticBackup(of: SyntheticFormat(format), options: options)
  var ledger: [LedgerEntry] = []
  var file = try AtomicFile(path)
  _ = try backup.write(to: &file) { entry throws(CofferError) in ledger.append(entry) }
  try file.commit()
  return ledger
}
// end
