/// A setting of the daemon, by the name it has in the environment and in the configuration file.
public enum ConfigurationKey: String, Sendable, CaseIterable {
    /// Directory of the log and its snapshots.
    case data = "TODOD_DATA"
    /// Path of the socket.
    case socket = "TODOD_SOCKET"
    /// Who may read, write and administer.
    case allow = "TODOD_ALLOW"
    /// The least grave lines that are logged.
    case logLevel = "TODOD_LOG_LEVEL"
    /// How large the log can grow, in bytes.
    case mapSize = "TODOD_MAP_SIZE"
    /// Free bytes on the disk below which changes are refused.
    case freeBytesMin = "TODOD_FREE_BYTES_MIN"
    /// Connections of everybody.
    case connectionsMax = "TODOD_CONNECTIONS_MAX"
    /// Connections of one user.
    case connectionsPerUserMax = "TODOD_CONNECTIONS_PER_USER_MAX"
    /// The largest call, in bytes.
    case frameBytesMax = "TODOD_FRAME_BYTES_MAX"
    /// The deepest nesting of a call.
    case depthMax = "TODOD_DEPTH_MAX"
    /// Calls of one connection that wait for their answer.
    case pipelinedCallsMax = "TODOD_PIPELINED_CALLS_MAX"
    /// Bytes that wait to be read by one client.
    case outboundBytesMax = "TODOD_OUTBOUND_BYTES_MAX"
    /// Seconds that half a call may wait for its rest.
    case halfFrameSeconds = "TODOD_HALF_FRAME_SECONDS"
    /// Seconds that a client may leave its answers unread.
    case stalledReaderSeconds = "TODOD_STALLED_READER_SECONDS"
    /// Seconds that a stop may take.
    case stopSeconds = "TODOD_STOP_SECONDS"
    /// Where todos are loaded from.
    case todoSource = "TODOD_TODO_SOURCE"
    /// Where posts are fetched.
    case postSource = "TODOD_POST_SOURCE"
    /// Whether todos are loaded once, into an empty log.
    case loadWhenEmpty = "TODOD_LOAD_WHEN_EMPTY"
    /// Who knows the repositories.
    case repositorySource = "TODOD_REPOSITORY_SOURCE"
    /// Where GitHub's API begins.
    case gitHubURL = "TODOD_GITHUB_URL"
    /// The file with the token for GitHub.
    case gitHubTokenFile = "TODOD_GITHUB_TOKEN_FILE"
    /// Seconds that a call to the web may take.
    case httpSeconds = "TODOD_HTTP_SECONDS"
    /// The largest answer from the web, in bytes.
    case httpBytesMax = "TODOD_HTTP_BYTES_MAX"

    /// What every name of ours begins with; another such name is a mistake.
    public static let prefix = "TODOD_"

    /// The numbers it takes; nil for a text.
    public var range: ClosedRange<Int>? {
        switch self {
        case .data, .socket, .allow, .logLevel, .todoSource, .loadWhenEmpty, .postSource, .repositorySource, .gitHubURL,
            .gitHubTokenFile:
            nil
        case .mapSize: 1 << 20...1 << 46
        case .freeBytesMin: 0...1 << 46
        case .connectionsMax, .connectionsPerUserMax: 1...1 << 20
        case .frameBytesMax: 1024...1 << 30
        case .depthMax: 8...1024
        case .pipelinedCallsMax: 1...1 << 16
        case .outboundBytesMax: 64 << 10...1 << 30
        case .halfFrameSeconds, .stalledReaderSeconds, .stopSeconds: 1...86400
        case .httpSeconds: 1...30
        case .httpBytesMax: 4096...64 << 20
        }
    }

    /// The path under which the providers know it: `TODOD_MAP_SIZE` is `todod.map.size`.
    var components: [String] { rawValue.lowercased().split(separator: "_").map(String.init) }
}
