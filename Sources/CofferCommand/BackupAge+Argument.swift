public import ArgumentParser
public import CofferCatalog

extension BackupAge: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}
