// Reexported, so that the author of an app needs only one import.
@_exported public import Chronicle
@_exported public import LinuxService
