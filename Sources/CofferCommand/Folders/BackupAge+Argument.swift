public import ArgumentParser
public import CofferFolders

extension BackupAge: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}
