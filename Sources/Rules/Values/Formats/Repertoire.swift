/// The character set of a text: several formats have an internationalized variant.
enum Repertoire: Sendable {
  case ascii, unicode
}
