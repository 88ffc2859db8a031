import Logging

/// A setting of the daemon: what its value may be, and where it goes.
///
/// A new one that every daemon has is a row of `ofEveryDaemon`, a place in `Configuration`, and its lines in `todod.env`; one that a
/// single program has is a `ProgramSetting`.
public struct Setting: Sendable {
    /// What the values of others depend on.
    struct Surroundings: Sendable {
        var defaultPaths: DefaultPaths
        var workingDirectory: String
        var accounts: Accounts
    }

    /// The name behind the prefix of a program: `MAP_SIZE` of `TODOD_MAP_SIZE`.
    public let key: String
    /// Whether it is a path that a file must give from the root: a service starts there, so a relative one would be an accident.
    let isPath: Bool
    /// Puts a value in its place; gives what is wrong with it, as a sentence without its full stop.
    let apply: @Sendable (String, inout Configuration, Surroundings) -> String?
    /// The value as it would stand in the file.
    let text: @Sendable (Configuration) -> String

    init(
        _ key: String, isPath: Bool = false, text: @escaping @Sendable (Configuration) -> String,
        apply: @escaping @Sendable (String, inout Configuration, Surroundings) -> String?
    ) {
        self.key = key
        self.isPath = isPath
        self.apply = apply
        self.text = text
    }

    private init<Value>(
        _ key: String, _ place: any WritableKeyPath<Configuration, Value> & Sendable, _ kind: SettingKind<Value>
    ) {
        self.init(key, text: { kind.text($0[keyPath: place]) }) { text, configuration, _ in
            do throws(SettingMistake) {
                configuration[keyPath: place] = try kind.read(text)
                return nil
            } catch {
                return error.sentence
            }
        }
    }

    /// The path under which the providers know it.
    var components: [String] { key.lowercased().split(separator: "_").map(String.init) }
}

extension Setting: Hashable {
    /// Whether both have one key.
    public static func == (left: Setting, right: Setting) -> Bool { left.key == right.key }

    /// Feeds in the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension Setting {
    /// Directory of the log and its snapshots.
    static let data = Setting("DATA", isPath: true, text: \.dataDirectory) { value, configuration, surroundings in
        configuration.dataDirectory = ProcessEnvironment.absolute(value, in: surroundings.workingDirectory)
        return nil
    }

    /// Path of the socket.
    static let socket = Setting("SOCKET", isPath: true, text: \.socket) { value, configuration, surroundings in
        guard let address = UnixAddress(ProcessEnvironment.absolute(value, in: surroundings.workingDirectory)) else {
            return "“\(value)” has more than \(UnixAddress.pathBytesMax) bytes, more than the path of a socket can have"
        }
        configuration.socket = address.name
        return nil
    }

    /// Who may read, write and administer.
    static let allow = Setting("ALLOW", text: \.access.text) { value, configuration, surroundings in
        do throws(AccessList.Mistake) {
            configuration.access = try AccessList(
                parsing: value, owner: surroundings.defaultPaths.uid, soleUID: surroundings.defaultPaths.soleUID,
                accounts: surroundings.accounts)
            return nil
        } catch {
            return error.message
        }
    }

    /// The least grave lines that are logged.
    static let logLevel = Setting("LOG_LEVEL", \.logLevel, .logLevel)

    /// Those of every daemon, in the order of `todod.env`.
    static let ofEveryDaemon: [Setting] = [
        data, socket, allow, logLevel,
        Setting("MAP_SIZE", \.mapBytes, .number(1 << 20...1 << 46, multipleOf: 4096)),
        Setting("FREE_BYTES_MIN", \.freeBytesMin, .number(0...1 << 46)),
        Setting("CONNECTIONS_MAX", \.connectionsMax, .number(1...1 << 20)),
        Setting("CONNECTIONS_PER_USER_MAX", \.connectionsPerUserMax, .number(1...1 << 20)),
        Setting("FRAME_BYTES_MAX", \.frameBytesMax, .number(1024...1 << 30)),
        Setting("DEPTH_MAX", \.depthMax, .number(8...1024)),
        Setting("PIPELINED_CALLS_MAX", \.pipelinedCallsMax, .number(1...1 << 16)),
        Setting("OUTBOUND_BYTES_MAX", \.outboundBytesMax, .number(64 << 10...1 << 30)),
        Setting("HALF_FRAME_SECONDS", \.halfFrameSeconds, .number(1...86400)),
        Setting("STALLED_READER_SECONDS", \.stalledReaderSeconds, .number(1...86400)),
        Setting("STOP_SECONDS", \.stopSeconds, .number(1...86400)),
    ]
}

/// All settings of a program, by the names under which people know them.
struct SettingTable: Sendable {
    /// What every name of the program begins with; another such name is a mistake.
    let prefix: String
    /// The settings, in the order of their file.
    let all: [Setting]
    private let byName: [String: Setting]

    init(program: String, further: [Setting] = []) {
        let prefix = String(program.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }) + "_"
        self.prefix = prefix
        all = Setting.ofEveryDaemon + further
        byName = Dictionary(uniqueKeysWithValues: all.map { (prefix + $0.key, $0) })
    }

    /// The one with a name, such as `TODOD_MAP_SIZE`.
    func named(_ name: String) -> Setting? { byName[name] }

    /// The name of a setting in the environment and in the file.
    func name(of setting: Setting) -> String { prefix + setting.key }
}
