import Logging

/// Everything a person can set about the daemon, with the defaults.
public struct Configuration: Sendable, Equatable {
    /// The directory of the log and its snapshots; an absolute path.
    public internal(set) var dataDirectory: String
    /// The path of the socket; absolute.
    public internal(set) var socket: String
    /// Who may read, write and administer.
    var access: AccessList
    /// The least grave lines that are logged.
    var logLevel = Logger.Level.info
    /// The size up to which the log can grow, in bytes, a multiple of 4,096; the file is sparse.
    var mapBytes = 64 << 30
    /// Changes are refused while the disk has fewer free bytes.
    var freeBytesMin = 16 << 20
    /// Connections at the same time, of everybody.
    var connectionsMax = 4096
    /// Connections at the same time, of one user.
    var connectionsPerUserMax = 256
    /// The largest call, in bytes.
    var frameBytesMax = 1 << 20
    /// The deepest nesting of a call's JSON.
    var depthMax = 64
    /// Calls of one connection that wait for their answer; further ones are not read until one is answered.
    var pipelinedCallsMax = 64
    /// Bytes that wait to be read by one client; while there are more, it gets nothing new.
    var outboundBytesMax = 1 << 20
    /// Seconds after which half a call without its rest closes the connection.
    var halfFrameSeconds = 10
    /// Seconds after which a client that reads nothing of what waits for it is disconnected.
    var stalledReaderSeconds = 60
    /// Seconds within which a stop finishes what was accepted.
    var stopSeconds = 20
    /// The values of settings that only one program has, where they are not the initial ones, as they stand in the file.
    var further: [String: String] = [:]

    /// The defaults with these paths.
    init(dataDirectory: String, socket: String, access: AccessList) {
        self.dataDirectory = dataDirectory
        self.socket = socket
        self.access = access
    }
}
