// What the author of an app needs beside this module, so that one import is enough.
@_exported public import ActionCoding
@_exported public import PersistentCollections
@_exported public import Reducing
@_exported public import Restoring
