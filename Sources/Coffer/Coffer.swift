@_exported public import BackupFormats
@_exported public import ByteStreams
@_exported public import Findings
@_exported public import JSONEvents
@_exported public import Keywords
@_exported public import Rules
