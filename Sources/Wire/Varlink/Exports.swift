// What messages carry, and what their interfaces say of it.
@_exported public import Values
@_exported public import VarlinkInterfaces
