@_exported public import BackupFormats
@_exported public import ByteStreams
@_exported public import CompressedStreams
@_exported public import Findings
@_exported public import GzipStreams
@_exported public import JSONEvents
@_exported public import LZ4Streams
@_exported public import Rules
@_exported public import ZIPArchives
@_exported public import ZstdStreams

@_exported public import enum RuleDrafts.DraftStrictness
// The type of paths of sources, files and rule documents.
@_exported public import struct SystemPackage.FilePath
