// Whoever names fields needs these as well: what a feature is, how it is written, and what it keeps its rows in.
@_exported public import PersistentCollections
@_exported public import Reducing
