package import Logging

/// A setting of the daemon: its meaning, its valid values, and where the value is stored; usually a `TypedSetting`.
public struct Setting: Sendable {
    struct Surroundings: Sendable {
        var defaultPaths: DefaultPaths
        var workingDirectory: String
        var accounts: Accounts
    }

    /// The name after the prefix of a program: `MAP_SIZE` of `TODOD_MAP_SIZE`.
    public let key: String
    /// The description in sentences; `{program}` stands for the name of the program, `{interfaces}` for the prefix of its interfaces.
    let meaning: String
    /// The default as written in the file; empty if it depends on the user who starts the daemon.
    var initial = ""
    /// Whether it is a path, which a file must give as absolute: a service runs in the root directory.
    var isPath = false
    package let text: @Sendable (Configuration) -> String
    /// Stores a value.
    let apply: @Sendable (String, inout Configuration, Surroundings) throws(SettingMistake) -> Void
}

extension Setting: Hashable {
    public static func == (left: Setting, right: Setting) -> Bool { left.key == right.key }

    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension Setting {
    package static let data = Setting(
        key: "DATA",
        meaning: "Directory of the log and its snapshots. Default: /var/lib/{program}, for a user ~/.local/state/{program}.",
        isPath: true, text: \.dataDirectory
    ) { value, configuration, surroundings in
        configuration.dataDirectory = ProcessEnvironment.absolute(value, in: surroundings.workingDirectory)
    }

    package static let socket = Setting(
        key: "SOCKET",
        meaning: """
            Path of the socket. Default: /run/{program}/{interfaces}.Store, for a user $XDG_RUNTIME_DIR/{program}/{interfaces}.Store.
            """, isPath: true, text: \.socket
    ) { value, configuration, surroundings throws(SettingMistake) in
        guard let address = UnixAddress(ProcessEnvironment.absolute(value, in: surroundings.workingDirectory)) else {
            throw SettingMistake("“\(value)” has more than \(UnixAddress.pathBytesMax) bytes, the maximum of a socket path")
        }
        configuration.socket = address.name
    }

    package static let allow = Setting(
        key: "ALLOW",
        meaning: """
            Users who may read (r), write (w) and administer (a), as in alice:rwa,@staff:rw,bob:r; @ means a group, whose members are looked up
            when this is read. Empty: all users that the socket's mode admits may read and write. Root and the daemon's own user may do all.
            """, text: \.access.text
    ) { value, configuration, surroundings throws(SettingMistake) in
        configuration.access = try AccessList(
            parsing: value, owner: surroundings.defaultPaths.uid, soleUID: surroundings.defaultPaths.soleUID,
            accounts: surroundings.accounts)
    }

    package static let logLevel = TypedSetting(
        "LOG_LEVEL", .info, .logLevel,
        """
        Lowest level of journal lines: trace, debug, info, notice, warning, error, critical. Texts of actions are never logged above debug.
        """)
    package static let mapBytes = TypedSetting(
        "MAP_SIZE", 64 << 30, .number(1 << 20...1 << 46, multipleOf: 4096),
        "Maximum size of the log in bytes (sparse on disk); a larger value takes effect at the next start.")
    package static let freeBytesMin = TypedSetting(
        "FREE_BYTES_MIN", 16 << 20, .number(0...1 << 46), "Changes are refused while the disk has fewer free bytes than this.")
    package static let stateBytesMax = TypedSetting(
        "STATE_BYTES_MAX", 0, .number(0...1 << 46),
        """
        Maximum size of the state, in estimated bytes of memory. Removing and completing still work above it. 0: a quarter of the memory
        available to the daemon, by its control groups or the machine, but at most 1 GiB. A state of 2 GiB can't be compacted.
        """)
    /// LMDB can't write a value of 2 GiB, and a compacted log keeps its state in one.
    package static let stateBytesDefaultMax = 1 << 30
    package static let connectionsMax = TypedSetting(
        "CONNECTIONS_MAX", 4096, .number(1...1 << 20), "Maximum number of simultaneous connections of all users.")
    package static let connectionsPerUserMax = TypedSetting(
        "CONNECTIONS_PER_USER_MAX", 256, .number(1...1 << 20), "Maximum number of simultaneous connections of one user.")
    package static let outboundBytesMax = TypedSetting(
        "OUTBOUND_BYTES_MAX", 1 << 20, .number(64 << 10...1 << 30),
        "Maximum number of bytes that one connection's client has not read yet; above it, the client gets nothing new.")
    package static let stalledReaderSeconds = TypedSetting(
        "STALLED_READER_SECONDS", 60, .number(1...86400),
        "Seconds after which a client that does not read its pending replies is disconnected.")
    package static let stopSeconds = TypedSetting(
        "STOP_SECONDS", 20, .number(1...86400),
        "Seconds within which a stop finishes accepted calls; systemd kills the daemon after TimeoutStopSec, 30 in the unit.")
    package static let cluster = TypedSetting(
        "CLUSTER", ClusterAddress?.none, .cluster,
        """
        The log that several machines share, as in etcd://a:2379,b:2379,c:2379/todos: the members of an etcd cluster, and the name of the
        log in it; https:// if they use TLS. Empty: the log is local to this machine.
        """)
    package static let clusterNode = TypedSetting(
        "CLUSTER_NODE", "", .node,
        "Unique name of this machine among those that share the log. Default: the host name.")
    package static let clusterAuthorities = TypedSetting(
        "CLUSTER_CA_FILE", "", .optionalPath,
        """
        File with the authorities that sign the certificates of the cluster's members. Default: the credential cluster-ca of the service,
        else those of the system.
        """)
    package static let clusterCertificate = TypedSetting(
        "CLUSTER_CERTIFICATE_FILE", "", .optionalPath,
        "File with the certificate that this machine presents to the cluster. Default: the credential cluster-certificate, if any."
    )
    package static let clusterKey = TypedSetting(
        "CLUSTER_KEY_FILE", "", .optionalPath,
        "File with the key of that certificate. Default: the credential cluster-key, if any.")
    package static let clusterUser = TypedSetting(
        "CLUSTER_USER", "", .text,
        """
        The daemon's user in the cluster, if the cluster requires one; if members are on other hosts, only with https://.
        """)
    package static let clusterPassword = TypedSetting(
        "CLUSTER_PASSWORD_FILE", "", .optionalPath,
        "File with the password of that user. Default: the credential cluster-password of the service.")
    package static let clusterKeptBatches = TypedSetting(
        "CLUSTER_KEPT_BATCHES", 100_000, .number(0...1_000_000_000),
        "Number of batches that the cluster keeps for new machines, although all machines have them.")
    package static let clusterAwayDays = TypedSetting(
        "CLUSTER_AWAY_DAYS", 7, .number(1...3_650),
        "Days after which nothing is kept for an absent machine; it must then start from a backup of another machine.")

    static let ofEveryDaemon: [Setting] = [
        data, socket, allow, logLevel.row, mapBytes.row, freeBytesMin.row, stateBytesMax.row, connectionsMax.row,
        connectionsPerUserMax.row, outboundBytesMax.row, stalledReaderSeconds.row, stopSeconds.row, cluster.row, clusterNode.row,
        clusterAuthorities.row, clusterCertificate.row, clusterKey.row, clusterUser.row, clusterPassword.row,
        clusterKeptBatches.row, clusterAwayDays.row,
    ]
}

/// The reason why a value is invalid, as a sentence without its full stop.
public struct SettingMistake: Error, Sendable {
    package let sentence: String

    public init(_ sentence: String) { self.sentence = sentence }
}

public struct SettingKind<Value: Sendable>: Sendable {
    package let text: @Sendable (Value) -> String
    package let read: @Sendable (String) throws(SettingMistake) -> Value

    public init(text: @escaping @Sendable (Value) -> String, read: @escaping @Sendable (String) throws(SettingMistake) -> Value) {
        self.text = text
        self.read = read
    }
}

extension SettingKind<Int> {
    public static func number(_ range: ClosedRange<Int>, multipleOf unit: Int = 1) -> SettingKind {
        SettingKind(text: { String($0) }) { text throws(SettingMistake) in
            guard let number = Int(text), range.contains(number) else {
                throw SettingMistake("“\(text)” is not a number from \(range.lowerBound) to \(range.upperBound)")
            }
            guard number.isMultiple(of: unit) else { throw SettingMistake("“\(text)” is not a multiple of \(unit)") }
            return number
        }
    }
}

extension SettingKind<Bool> {
    public static func choice(_ words: KeyValuePairs<String, Bool>) -> SettingKind {
        SettingKind(text: { value in words.first { $0.value == value }?.key ?? "" }) { text throws(SettingMistake) in
            guard let meant = words.first(where: { $0.key == text })?.value else {
                throw SettingMistake("“\(text)” is neither “\(words[0].key)” nor “\(words[1].key)”")
            }
            return meant
        }
    }
}

extension SettingKind<Logger.Level> {
    package static let logLevel = SettingKind(text: \.rawValue) { text throws(SettingMistake) in
        guard let level = Logger.Level(rawValue: text) else {
            throw SettingMistake("“\(text)” is not one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return level
    }
}

/// A setting with a value of some kind: all that is known of it, in one row.
///
/// ```swift
/// static let seconds = TypedSetting("HTTP_SECONDS", 20, .number(1...30), "Seconds that a call to the web may take.")
/// ... Program(name: "todod", version: "1.0.0", settings: [seconds.row]) ... configuration[seconds]
/// ```
public struct TypedSetting<Value: Sendable>: Sendable {
    public let row: Setting
    package let initial: Value
    package let kind: SettingKind<Value>

    public init(_ key: String, _ initial: Value, _ kind: SettingKind<Value>, _ meaning: String) {
        self.initial = initial
        self.kind = kind
        row = Setting(key: key, meaning: meaning, initial: kind.text(initial), text: { $0.told[key] ?? kind.text(initial) }) {
            text, configuration, _ throws(SettingMistake) in
            let told = kind.text(try kind.read(text))
            configuration.told[key] = told == kind.text(initial) ? nil : told
        }
    }
}

extension Configuration {
    public subscript<Value>(_ setting: TypedSetting<Value>) -> Value {
        guard let text = told[setting.row.key] else { return setting.initial }
        // Only valid values are stored.
        return (try? setting.kind.read(text)) ?? setting.initial
    }
}

package struct SettingTable: Sendable {
    private let program, interfaces: String
    /// The prefix of every setting of the program; an unknown name with this prefix is a mistake.
    let prefix: String
    /// In the order of the configuration file.
    package let all: [Setting]
    private let byName: [String: Setting]

    init(program: String, interfaces: String, further: [Setting] = []) {
        let prefix = String(program.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }) + "_"
        (self.program, self.interfaces) = (program, interfaces)
        self.prefix = prefix
        all = Setting.ofEveryDaemon + further
        byName = Dictionary(uniqueKeysWithValues: all.map { (prefix + $0.key, $0) })
    }

    package func named(_ name: String) -> Setting? { byName[name] }

    package func name(of setting: Setting) -> String { prefix + setting.key }

    /// The text of a configuration file that sets nothing: the description and default of each setting.
    package var file: String {
        let head = """
            {program}'s configuration: every key with its default. Flags win over the environment, the environment wins over this file.
            Read from /etc/{program}/{program}.env by the system's daemon, from ~/.config/{program}/{program}.env by a user's, or from --config FILE.
            Check it with: {program} --check-config
            """
        let rows = all.map { comment($0.meaning) + "\n# \(name(of: $0))=\($0.initial)" }
        return ([comment(head)] + rows).joined(separator: "\n\n")
    }

    private func comment(_ text: String) -> String {
        let text = text.replacing("{program}", with: program).replacing("{interfaces}", with: interfaces)
        return "# " + text.replacing("\n", with: "\n# ")
    }
}

public struct Configuration: Sendable, Equatable {
    /// An absolute path.
    public internal(set) var dataDirectory: String
    /// An absolute path.
    public internal(set) var socket: String
    package var access: AccessList
    /// The configured values of typed settings that differ from their defaults, as text.
    package var told: [String: String] = [:]

    package init(dataDirectory: String, socket: String, access: AccessList) {
        (self.dataDirectory, self.socket, self.access) = (dataDirectory, socket, access)
    }
}
