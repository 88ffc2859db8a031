public import Logging

/// Everything a person can set about the daemon, with the defaults.
public struct Configuration: Sendable, Equatable {
    /// The directory of the log and its snapshots; an absolute path.
    public var dataDirectory: String
    /// The path of the socket; absolute.
    public var socket: String
    /// Who may read, write and administer.
    public var access: AccessList
    /// The least grave lines that are logged.
    public var logLevel = Logger.Level.info
    /// The size up to which the log can grow, in bytes, a multiple of 4,096; the file is sparse.
    public var mapBytes = 64 << 30
    /// Changes are refused while the disk has fewer free bytes.
    public var freeBytesMin = 16 << 20
    /// Connections at the same time, of everybody.
    public var connectionsMax = 4096
    /// Connections at the same time, of one user.
    public var connectionsPerUserMax = 256
    /// The largest call, in bytes.
    public var frameBytesMax = 1 << 20
    /// The deepest nesting of a call's JSON.
    public var depthMax = 64
    /// Calls of one connection that wait for their answer; further ones are not read until one is answered.
    public var pipelinedCallsMax = 64
    /// Bytes that wait to be read by one client; while there are more, it gets nothing new.
    public var outboundBytesMax = 1 << 20
    /// Seconds after which half a call without its rest closes the connection.
    public var halfFrameSeconds = 10
    /// Seconds after which a client that reads nothing of what waits for it is disconnected.
    public var stalledReaderSeconds = 60
    /// Seconds within which a stop finishes what was accepted.
    public var stopSeconds = 20
    /// Where todos are loaded from.
    public var todoSource = SourcePlace.bundled
    /// Whether todos are loaded from there once, at a start with an empty log.
    public var loadsWhenEmpty = false
    /// Where posts are fetched; never a file.
    public var postSource = SourcePlace.bundled
    /// Whether the repositories are those that GitHub's search gives; else they come with the program.
    public var searchesGitHub = false
    /// Where GitHub's API begins.
    public var gitHubURL = "https://api.github.com"
    /// The file with the token for GitHub, an absolute path; nil when none is named.
    public var gitHubTokenFile: String?
    /// Seconds that a call to the web may take.
    public var httpSeconds = 20
    /// The largest answer from the web, in bytes.
    public var httpBytesMax = 4 << 20

    /// The defaults at these premises.
    public init(dataDirectory: String, socket: String, access: AccessList) {
        self.dataDirectory = dataDirectory
        self.socket = socket
        self.access = access
    }
}
