// What reads backups in ZIP archives is an addition to what reads them bare.
@_exported public import Coffer
@_exported public import ZIPArchives
