import Glibc

/// The default path of the daemon's socket, for the daemon and its clients.
public struct SocketLocation: Sendable {
    /// The reason why a runtime directory is not trusted.
    public struct Distrust: Error, Sendable, Equatable {
        public var directory: String
        /// The problem and its remedy, as a sentence.
        public var message: String
        public var isForeign = false
    }

    /// The longest path of a socket, in bytes: `sun_path` holds 108, the last of them zero.
    public static let pathBytesMax = 107
    public static let system = socket(in: "/run/todod")

    /// The socket of a daemon whose interfaces have a prefix.
    public static func socket(in directory: String, of prefix: String = InterfaceNames.ownPrefix) -> String {
        "\(directory)/\(prefix).Store"
    }

    private let program: String

    /// The runtime directory of this user, which is empty after a boot.
    public var runtimeDirectory: String
    /// Whether `runtimeDirectory` stands in for a missing XDG_RUNTIME_DIR and must be checked or made first.
    public var isSubstitute: Bool

    /// Takes XDG_RUNTIME_DIR; where it is unset, `PROGRAM-UID` under the system's temporary directory.
    public init(program: String = "todod", environment: (String) -> String?, uid: UInt32) {
        self.program = program
        if let directory = environment("XDG_RUNTIME_DIR"), !directory.isEmpty {
            runtimeDirectory = directory
            isSubstitute = false
        } else {
            var temporary = environment("TMPDIR") ?? ""
            if temporary.isEmpty { temporary = "/tmp" }
            while temporary.utf8.count > 1, temporary.hasSuffix("/") { temporary.removeLast() }
            runtimeDirectory = "\(temporary)/\(program)-\(uid)"
            isSubstitute = true
        }
    }

    public var user: String { Self.socket(in: "\(runtimeDirectory)/\(program)") }

    /// Refuses an existing substitute directory that another user owns or can enter, because all users can create it.
    public func check(uid: UInt32) throws(Distrust) {
        guard isSubstitute else { return }
        var status = stat()
        guard lstat(runtimeDirectory, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == uid else {
            throw Distrust(
                directory: runtimeDirectory,
                message: "\(runtimeDirectory) belongs to another user. Set XDG_RUNTIME_DIR, or name a socket with --socket.",
                isForeign: true)
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Distrust(
                directory: runtimeDirectory,
                message: "\(runtimeDirectory) is open to others. Run: chmod 700 \(runtimeDirectory)")
        }
    }

    /// Makes the substitute directory, with mode 0700, if it does not exist; then checks it.
    public func make(uid: UInt32) throws(Distrust) {
        guard isSubstitute else { return }
        if mkdir(runtimeDirectory, 0o700) != 0, errno != EEXIST {
            throw Distrust(
                directory: runtimeDirectory, message: "\(runtimeDirectory) can't be made: \(String(cString: strerror(errno))).")
        }
        try check(uid: uid)
    }
}
