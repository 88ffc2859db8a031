// What messages carry.
@_exported public import Values
