/// An end with a status whose reason somebody else has told.
struct SilentExit: Error {
    var status: Int32
}
