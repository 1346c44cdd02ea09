/// Which characters a text may be made of: several formats stand beside an internationalized form of themselves.
enum Repertoire: Sendable {
  case ascii, unicode
}
