// What features show of themselves.
@_exported public import Values
