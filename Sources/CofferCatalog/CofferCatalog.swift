// What keeps folders of backups is an addition to what reads single ones.
@_exported public import CofferContainers
