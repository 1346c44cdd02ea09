import JSONEvents

/// What libyaml found next, and where.
struct YAMLEvent {
  enum Kind {
    case documentStart
    /// - Parameter isPlain: neither quoted nor a block, so that its text says what it is.
    case scalar(String, isPlain: Bool, Properties)
    case sequenceStart(Properties)
    case mappingStart(Properties)
    /// Of the last sequence or mapping that is open.
    case end
    case alias(String)
    case streamEnd
  }

  /// What may stand before a value.
  struct Properties {
    var anchor: String?
    /// With its prefix resolved: `tag:yaml.org,2002:str` for `!!str`.
    var tag: String?
  }

  let kind: Kind
  let position: TextPosition
}

/// Why a text is no YAML.
struct YAMLSyntaxError: Error {
  let message: String
  let position: TextPosition
}
