@_exported public import BackupFormats
@_exported public import ByteStreams
@_exported public import Findings
@_exported public import JSONEvents
@_exported public import LZ4Streams
@_exported public import Rules
@_exported public import ZIPArchives

// The type of paths of sources, files and rule documents.
@_exported public import struct SystemPackage.FilePath
