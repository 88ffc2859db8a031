// A file that imports `Chronicle` also sees values.
@_exported public import ChronicleValues
