package import Logging

/// A setting of the daemon: its meaning, its valid values, and where the value is stored.
///
/// Most settings are a `TypedSetting`.
public struct Setting: Sendable {
    /// The context on which values depend.
    package struct Surroundings: Sendable {
        package var defaultPaths: DefaultPaths
        var workingDirectory: String
        var accounts: Accounts
    }

    /// The name after the prefix of a program: `MAP_SIZE` of `TODOD_MAP_SIZE`.
    public let key: String
    /// The default as written in the file; empty if it depends on the user who starts the daemon.
    package let initial: String
    /// The description in sentences; `{program}` stands for the name of the program, `{interfaces}` for the prefix of its interfaces.
    package let meaning: String
    /// Whether it is a path, which a file must give as absolute: a service runs in the root directory.
    let isPath: Bool
    /// Stores a value; returns its mistake, if any, as a sentence without its full stop.
    package let apply: @Sendable (String, inout Configuration, Surroundings) -> String?
    /// The value as text for the file.
    package let text: @Sendable (Configuration) -> String

    package init(
        _ key: String, _ meaning: String, initial: String = "", isPath: Bool = false,
        text: @escaping @Sendable (Configuration) -> String,
        apply: @escaping @Sendable (String, inout Configuration, Surroundings) -> String?
    ) {
        self.key = key
        self.initial = initial
        self.meaning = meaning
        self.isPath = isPath
        self.apply = apply
        self.text = text
    }
}

extension Setting: Hashable {
    /// Compares the keys.
    public static func == (left: Setting, right: Setting) -> Bool { left.key == right.key }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension Setting {
    package static let data = Setting(
        "DATA", "Directory of the log and its snapshots. Default: /var/lib/{program}, for a user ~/.local/state/{program}.",
        isPath: true,
        text: \.dataDirectory
    ) { value, configuration, surroundings in
        configuration.dataDirectory = ProcessEnvironment.absolute(value, in: surroundings.workingDirectory)
        return nil
    }

    package static let socket = Setting(
        "SOCKET",
        """
        Path of the socket. Default: /run/{program}/{interfaces}.Store, for a user $XDG_RUNTIME_DIR/{program}/{interfaces}.Store.
        """, isPath: true, text: \.socket
    ) { value, configuration, surroundings in
        guard let address = UnixAddress(ProcessEnvironment.absolute(value, in: surroundings.workingDirectory)) else {
            return "“\(value)” has more than \(UnixAddress.pathBytesMax) bytes, more than the path of a socket can have"
        }
        configuration.socket = address.name
        return nil
    }

    package static let allow = Setting(
        "ALLOW",
        """
        Who may read (r), write (w) and administer (a), as in alice:rwa,@staff:rw,bob:r; @ names a group, whose members are looked up
        when this is read. Empty: whoever the socket's mode lets in may read and write. Root and the daemon's own user may do all.
        """, text: \.access.text
    ) { value, configuration, surroundings in
        do throws(SettingMistake) {
            configuration.access = try AccessList(
                parsing: value, owner: surroundings.defaultPaths.uid, soleUID: surroundings.defaultPaths.soleUID,
                accounts: surroundings.accounts)
            return nil
        } catch {
            return error.sentence
        }
    }

    package static let logLevel = TypedSetting(
        "LOG_LEVEL", .info, .logLevel,
        """
        How much goes to the journal: trace, debug, info, notice, warning, error, critical. The texts of actions never do above debug.
        """)
    package static let mapBytes = TypedSetting(
        "MAP_SIZE", 64 << 30, .number(1 << 20...1 << 46, multipleOf: 4096),
        "The size in bytes up to which the log can grow (sparse on disk); set larger, it takes effect at the next start.")
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
        "CONNECTIONS_MAX", 4096, .number(1...1 << 20), "Connections at the same time, of everybody.")
    package static let connectionsPerUserMax = TypedSetting(
        "CONNECTIONS_PER_USER_MAX", 256, .number(1...1 << 20), "Connections at the same time, of one user.")
    package static let frameBytesMax = TypedSetting(
        "FRAME_BYTES_MAX", 1 << 20, .number(1024...1 << 30), "The largest call, in bytes.")
    package static let depthMax = TypedSetting("DEPTH_MAX", 64, .number(8...1024), "The deepest nesting of a call's JSON.")
    package static let pipelinedCallsMax = TypedSetting(
        "PIPELINED_CALLS_MAX", 64, .number(1...1 << 16),
        "Calls of one connection that wait for their answer; further ones are not read until one is answered.")
    package static let outboundBytesMax = TypedSetting(
        "OUTBOUND_BYTES_MAX", 1 << 20, .number(64 << 10...1 << 30),
        "Bytes that wait to be read by one connection's client; while there are more, it gets nothing new.")
    package static let halfFrameSeconds = TypedSetting(
        "HALF_FRAME_SECONDS", 10, .number(1...86400),
        "Seconds after which half a call without its rest closes the connection.")
    package static let stalledReaderSeconds = TypedSetting(
        "STALLED_READER_SECONDS", 60, .number(1...86400),
        "Seconds after which a client that reads nothing of what waits for it is disconnected.")
    package static let commandsPerMinuteMax = TypedSetting(
        "COMMANDS_PER_MINUTE_MAX", 600, .number(1...1 << 20),
        "Commands that ends of commands may ask for in a minute; further ones are parked, because that looks like a loop.")
    package static let stopSeconds = TypedSetting(
        "STOP_SECONDS", 20, .number(1...86400),
        "Seconds within which a stop finishes what was accepted; systemd kills after TimeoutStopSec, 30 in the unit.")
    package static let cluster = TypedSetting(
        "CLUSTER", ClusterAddress?.none, .cluster,
        """
        The log that several machines share, as in etcd://a:2379,b:2379,c:2379/todos: the members of an etcd cluster, and the name of the
        log in it; https:// where they want TLS. Empty: the log is this machine's alone.
        """)
    package static let clusterNode = TypedSetting(
        "CLUSTER_NODE", "", .node,
        "What this machine is called among those that share the log; no two are called the same. Default: the name of the host.")
    package static let clusterAuthorities = TypedSetting(
        "CLUSTER_CA_FILE", "", .optionalPath,
        """
        File with the authorities that sign the certificates of the cluster's members. Default: the credential cluster-ca of the service,
        else those of the system.
        """)
    package static let clusterCertificate = TypedSetting(
        "CLUSTER_CERTIFICATE_FILE", "", .optionalPath,
        "File with the certificate that this machine shows to the cluster. Default: the credential cluster-certificate, if any.")
    package static let clusterKey = TypedSetting(
        "CLUSTER_KEY_FILE", "", .optionalPath,
        "File with the key of that certificate. Default: the credential cluster-key, if any.")
    package static let clusterUser = TypedSetting(
        "CLUSTER_USER", "", .text,
        """
        The user of the cluster that the daemon is, if the cluster asks for one; where members are on other hosts, with https://
        alone.
        """)
    package static let clusterPassword = TypedSetting(
        "CLUSTER_PASSWORD_FILE", "", .optionalPath,
        "File with the password of that user. Default: the credential cluster-password of the service.")
    package static let clusterKeptBatches = TypedSetting(
        "CLUSTER_KEPT_BATCHES", 100_000, .number(0...1_000_000_000),
        "Batches that the cluster keeps although all machines have them, for one that comes new.")
    package static let clusterAwayDays = TypedSetting(
        "CLUSTER_AWAY_DAYS", 7, .number(1...3_650),
        "Days after which nothing is kept for a machine that was away; it begins with a backup of another then.")

    /// The settings of every daemon, in file order.
    static let ofEveryDaemon: [Setting] = [
        data, socket, allow, logLevel.row, mapBytes.row, freeBytesMin.row, stateBytesMax.row, connectionsMax.row,
        connectionsPerUserMax.row,
        frameBytesMax.row, depthMax.row, pipelinedCallsMax.row, outboundBytesMax.row, halfFrameSeconds.row,
        stalledReaderSeconds.row, commandsPerMinuteMax.row, stopSeconds.row, cluster.row, clusterNode.row,
        clusterAuthorities.row, clusterCertificate.row, clusterKey.row, clusterUser.row, clusterPassword.row,
        clusterKeptBatches.row, clusterAwayDays.row,
    ]
}
