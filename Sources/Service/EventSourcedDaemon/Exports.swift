// What the author of an app needs beside this module, so that one import is enough.
@_exported public import Fields
@_exported public import LinuxService
