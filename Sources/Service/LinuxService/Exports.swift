// The exit status is part of the API, because clients explain it.
@_exported public import enum TodoAPI.ExitStatus
