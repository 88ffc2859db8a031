/// Everything a person can set about the daemon.
public struct Configuration: Sendable, Equatable {
    /// The directory of the log and its snapshots; an absolute path.
    public internal(set) var dataDirectory: String
    /// The path of the socket; absolute.
    public internal(set) var socket: String
    /// The access of users and groups.
    package var access: AccessList
    /// The values of typed settings that are not the initial ones, as they stand in the file.
    package var told: [String: String] = [:]
}
