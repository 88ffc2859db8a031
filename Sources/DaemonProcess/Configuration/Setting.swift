import Logging

/// A setting of the daemon: its name in the environment and in the configuration file, what it may be, and where it goes.
///
/// A new one is a row of `all`, a place in `Configuration`, and its lines in `todod.env`.
public struct Setting: Sendable {
    /// What the values of others depend on.
    struct Surroundings: Sendable {
        var premises: Premises
        var workingDirectory: String
        var accounts: Accounts

        /// A path from the working directory.
        func absolute(_ path: String) -> String {
            path.hasPrefix("/") ? path : (workingDirectory == "/" ? "/" : workingDirectory + "/") + path
        }
    }

    /// What every name of ours begins with; another such name is a mistake.
    public static let prefix = "TODOD_"

    /// The name, such as `TODOD_MAP_SIZE`.
    public let name: String
    /// Whether it is a path that a file must give from the root: a service starts there, so a relative one would be an accident.
    let isPath: Bool
    /// Puts a value in its place; gives what is wrong with it, as a sentence without its full stop.
    let apply: @Sendable (String, inout Configuration, Surroundings) -> String?
    /// The value as it would stand in the file.
    public let text: @Sendable (Configuration) -> String

    private init(
        _ name: String, isPath: Bool = false, text: @escaping @Sendable (Configuration) -> String,
        apply: @escaping @Sendable (String, inout Configuration, Surroundings) -> String?
    ) {
        self.name = name
        self.isPath = isPath
        self.apply = apply
        self.text = text
    }

    /// A number within a range.
    private static func number(
        _ name: String, _ place: any WritableKeyPath<Configuration, Int> & Sendable, _ range: ClosedRange<Int>,
        multipleOf unit: Int = 1
    ) -> Setting {
        Setting(name, text: { String($0[keyPath: place]) }) { value, configuration, _ in
            guard let number = Int(value), range.contains(number) else {
                return "“\(value)” is not a number from \(range.lowerBound) to \(range.upperBound)"
            }
            guard number.isMultiple(of: unit) else { return "“\(value)” is not a multiple of \(unit)" }
            configuration[keyPath: place] = number
            return nil
        }
    }

    /// One of two words, and what each means.
    private static func choice(
        _ name: String, _ place: any WritableKeyPath<Configuration, Bool> & Sendable, _ words: KeyValuePairs<String, Bool>
    ) -> Setting {
        Setting(name, text: { configuration in words.first { $0.value == configuration[keyPath: place] }?.key ?? "" }) {
            value, configuration, _ in
            guard let meant = words.first(where: { $0.key == value })?.value else {
                return "“\(value)” is neither “\(words[0].key)” nor “\(words[1].key)”"
            }
            configuration[keyPath: place] = meant
            return nil
        }
    }

    /// The one with a name.
    public static func named(_ name: String) -> Setting? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The path under which the providers know it: `TODOD_MAP_SIZE` is `todod.map.size`.
    var components: [String] { name.lowercased().split(separator: "_").map(String.init) }
}

extension Setting: Hashable {
    /// Whether both have one name.
    public static func == (left: Setting, right: Setting) -> Bool { left.name == right.name }

    /// Feeds in the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Setting {
    /// Directory of the log and its snapshots.
    public static let data = Setting("TODOD_DATA", isPath: true, text: \.dataDirectory) { value, configuration, surroundings in
        configuration.dataDirectory = surroundings.absolute(value)
        return nil
    }

    /// Path of the socket.
    public static let socket = Setting("TODOD_SOCKET", isPath: true, text: \.socket) { value, configuration, surroundings in
        guard let address = UnixAddress(surroundings.absolute(value)) else {
            return "“\(value)” has more than \(UnixAddress.pathBytesMax) bytes, more than the path of a socket can have"
        }
        configuration.socket = address.name
        return nil
    }

    /// Who may read, write and administer.
    public static let allow = Setting("TODOD_ALLOW", text: \.access.text) { value, configuration, surroundings in
        do throws(AccessList.Mistake) {
            configuration.access = try AccessList(
                parsing: value, owner: surroundings.premises.uid, soleUID: surroundings.premises.soleUID,
                accounts: surroundings.accounts)
            return nil
        } catch {
            return error.message
        }
    }

    /// The least grave lines that are logged.
    public static let logLevel = Setting("TODOD_LOG_LEVEL", text: \.logLevel.rawValue) { value, configuration, _ in
        guard let level = Logger.Level(rawValue: value) else {
            return "“\(value)” is none of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))"
        }
        configuration.logLevel = level
        return nil
    }

    /// Where todos are loaded from.
    public static let todoSource = Setting("TODOD_TODO_SOURCE", text: \.todoSource.text) { value, configuration, _ in
        guard let place = SourcePlace(value) else {
            return "“\(value)” is neither “bundled” nor an absolute path nor an http or https address"
        }
        configuration.todoSource = place
        return nil
    }

    /// Where posts are fetched.
    public static let postSource = Setting("TODOD_POST_SOURCE", text: \.postSource.text) { value, configuration, _ in
        guard let place = SourcePlace(value), !place.isFile else {
            return "“\(value)” is neither “bundled” nor an http or https address"
        }
        configuration.postSource = place
        return nil
    }

    /// Where GitHub's API begins.
    public static let gitHubURL = Setting("TODOD_GITHUB_URL", text: \.gitHubURL) { value, configuration, _ in
        guard SourcePlace.isWebAddress(value), !value.utf8.contains(UInt8(ascii: "?")) else {
            return "“\(value)” is no http or https address without a query"
        }
        configuration.gitHubURL = value
        return nil
    }

    /// The file with the token for GitHub.
    public static let gitHubTokenFile = Setting("TODOD_GITHUB_TOKEN_FILE", text: { $0.gitHubTokenFile ?? "" }) {
        value, configuration, _ in
        guard value.hasPrefix("/") else { return "“\(value)” is not an absolute path" }
        configuration.gitHubTokenFile = value
        return nil
    }

    /// All settings, in the order of `todod.env`.
    public static let all: [Setting] = [
        data, socket, allow, logLevel,
        number("TODOD_MAP_SIZE", \.mapBytes, 1 << 20...1 << 46, multipleOf: 4096),
        number("TODOD_FREE_BYTES_MIN", \.freeBytesMin, 0...1 << 46),
        number("TODOD_CONNECTIONS_MAX", \.connectionsMax, 1...1 << 20),
        number("TODOD_CONNECTIONS_PER_USER_MAX", \.connectionsPerUserMax, 1...1 << 20),
        number("TODOD_FRAME_BYTES_MAX", \.frameBytesMax, 1024...1 << 30),
        number("TODOD_DEPTH_MAX", \.depthMax, 8...1024),
        number("TODOD_PIPELINED_CALLS_MAX", \.pipelinedCallsMax, 1...1 << 16),
        number("TODOD_OUTBOUND_BYTES_MAX", \.outboundBytesMax, 64 << 10...1 << 30),
        number("TODOD_HALF_FRAME_SECONDS", \.halfFrameSeconds, 1...86400),
        number("TODOD_STALLED_READER_SECONDS", \.stalledReaderSeconds, 1...86400),
        number("TODOD_STOP_SECONDS", \.stopSeconds, 1...86400),
        todoSource,
        choice("TODOD_LOAD_WHEN_EMPTY", \.loadsWhenEmpty, ["yes": true, "no": false]),
        postSource,
        choice("TODOD_REPOSITORY_SOURCE", \.searchesGitHub, ["bundled": false, "github": true]),
        gitHubURL, gitHubTokenFile,
        number("TODOD_HTTP_SECONDS", \.httpSeconds, 1...30),
        number("TODOD_HTTP_BYTES_MAX", \.httpBytesMax, 4096...64 << 20),
    ]
}
