// Clients of this module need the values of messages and the descriptions of interfaces.
@_exported public import ChronicleValues
@_exported public import VarlinkInterfaces
