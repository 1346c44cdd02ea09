import ByteStreams
import JSONEvents

/// The next item that libyaml has parsed, with its place.
struct YAMLEvent {
  enum Kind {
    case documentStart
    /// - Parameter isPlain: neither quoted nor a block, so that the text determines the type.
    case scalar(String, isPlain: Bool, Properties)
    case sequenceStart(Properties)
    case mappingStart(Properties)
    /// The end of the innermost open sequence or mapping.
    case end
    case alias(String)
    case streamEnd
  }

  /// The properties that may precede a value.
  struct Properties {
    var anchor: String?
    /// The tag with its prefix resolved: `tag:yaml.org,2002:str` for `!!str`.
    var tag: String?
  }

  let kind: Kind
  let position: TextPosition
}

/// The reason why a text is not YAML.
struct YAMLSyntaxError: Error {
  let message: String
  let position: TextPosition
}
