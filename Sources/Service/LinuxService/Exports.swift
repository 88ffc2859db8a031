// The status that a daemon ends with is one of the wire's words, because who talks to a daemon explains it.
@_exported public import enum TodoAPI.ExitStatus
