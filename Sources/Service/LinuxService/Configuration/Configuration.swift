/// The configuration of the daemon.
public struct Configuration: Sendable, Equatable {
    /// The directory of the log and its snapshots; an absolute path.
    public internal(set) var dataDirectory: String
    /// The path of the socket; absolute.
    public internal(set) var socket: String
    /// The access of users and groups.
    package var access: AccessList
    /// The configured values of typed settings that differ from their defaults, as text.
    package var told: [String: String] = [:]

    package init(dataDirectory: String, socket: String, access: AccessList) {
        (self.dataDirectory, self.socket, self.access) = (dataDirectory, socket, access)
    }
}
