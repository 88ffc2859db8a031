import Glibc
import TodoAPI

/// The sockets to serve: those from systemd, or else our own.
package struct Sockets: Sendable {
    package let descriptors: [Int32]
    package let areListening: Bool
    private let own: ListeningSocket?

    package func remove() { own?.removeFile() }
}

extension Sockets {
    /// Creates our own socket under the log's lock: a stale socket file then belongs to no running daemon.
    package init(
        _ program: Program, _ configuration: Configuration, _ environment: [String: String]
    ) throws(StartFailure) {
        let inherited = try InheritedSocket.take(environment: environment, pid: getpid(), first: 3)
        // Child processes must not take them over.
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        guard inherited.isEmpty else {
            self.init(descriptors: inherited.map(\.descriptor), areListening: inherited.contains(where: \.isListening), own: nil)
            return
        }
        // In a directory that all users can write to, another user may have created our socket's path first.
        let location = SocketLocation(program: program.name, environment: { environment[$0] }, uid: geteuid())
        if configuration.socket.hasPrefix(location.runtimeDirectory + "/") {
            do { try location.make(uid: geteuid()) } catch { throw StartFailure(.notPermitted, error.message) }
        }
        try self.init(at: configuration.socket)
    }

    package init(at path: String) throws(StartFailure) {
        let path = try SocketPath(path)
        try path.makeDirectory()
        try path.removeStaleSocketUnderLock()
        let own = try path.listen()
        self.init(descriptors: [own.descriptor], areListening: true, own: own)
    }
}

struct SocketPath: Sendable {
    static let backlogMax: Int32 = 4096

    let path: String
    private let address: UnixAddress

    init(_ path: String) throws(StartFailure) {
        guard let address = UnixAddress(path), path.hasPrefix("/") else {
            throw StartFailure(.configuration, "\(path) can't be a socket: it is relative or has more than 107 bytes.")
        }
        self.path = path
        self.address = address
    }

    /// Creates missing directories, for the daemon's user only (0700).
    /// - Throws: `StartFailure` with status 77 if a directory below one that all users can write to, such as /tmp, belongs to another
    ///   user or others may write to it; 74 or 77 if one can't be created.
    func makeDirectory() throws(StartFailure) {
        var directory = ""
        var isShared = false
        for name in path.split(separator: "/").dropLast() {
            directory += "/\(name)"
            if mkdir(directory, 0o700) != 0, errno != EEXIST { throw .system("\(directory) can't be created", code: errno) }
            var status = stat()
            guard lstat(directory, &status) == 0 else { throw .system("\(directory) can't be read", code: errno) }
            if isShared { try Self.checkOwned(directory, status) }
            // In a directory that all users can write to, another user may have created the next one first.
            isShared = status.st_mode & S_IFMT == S_IFDIR && status.st_mode & 0o002 != 0
        }
    }

    private static func checkOwned(_ directory: String, _ status: stat) throws(StartFailure) {
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            throw StartFailure(
                .notPermitted,
                "\(directory) belongs to another user. Choose another socket with --socket, or set XDG_RUNTIME_DIR.")
        }
        // With the sticky bit, others can add files but not replace the daemon's.
        guard status.st_mode & 0o022 == 0 || status.st_mode & S_ISVTX != 0 else {
            throw StartFailure(.notPermitted, "Other users can write to \(directory). Run: chmod 700 \(directory)")
        }
    }

    /// Removes a stale socket; only for the holder of the data lock, which proves that its daemon is gone.
    /// - Throws: `StartFailure` with status 75 if another daemon listens there (with other data), 78 if the path is no socket, 74 or 77
    ///   if it can't be removed.
    func removeStaleSocketUnderLock() throws(StartFailure) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .system("\(path) can't be read", code: errno)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw StartFailure(.configuration, "\(path) is not a socket, so it was not replaced. Choose another with --socket.")
        }
        let connection = try Self.makeSocket()
        let code = address.withSystemAddress { connect(connection.number, $0, $1) == 0 ? 0 : errno }
        // Only a refused connection shows that no process listens; a full queue or a missing permission does not.
        guard code == ECONNREFUSED else {
            if code == ENOENT { return }
            throw StartFailure(
                .tryAgain, "Another daemon listens on \(path). Stop it, or choose another socket with --socket.")
        }
        guard unlink(path) == 0 || errno == ENOENT else { throw .system("\(path) can't be removed", code: errno) }
    }

    /// Opens the socket and listens, with mode 0600 from the start.
    /// - Throws: `StartFailure` with status 75 if the path exists, 74 or 77 for a system error.
    func listen() throws(StartFailure) -> ListeningSocket {
        let socket = try Self.makeSocket()
        // On Linux, bind gives the file the mode of the unbound socket, so the file never has another mode.
        guard fchmod(socket.number, 0o600) == 0 else { throw .system("\(path) can't be made private", code: errno) }
        let code = address.withSystemAddress { bind(socket.number, $0, $1) == 0 ? 0 : errno }
        guard code == 0 else {
            if code == EADDRINUSE { throw StartFailure(.tryAgain, "\(path) exists already.") }
            throw .system("\(path) can't be bound", code: code)
        }
        guard Glibc.listen(socket.number, Self.backlogMax) == 0 else { throw .system("\(path) can't listen", code: errno) }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw .system("\(path) can't be read", code: errno) }
        return ListeningSocket(descriptor: socket.released(), path: path, file: FileIdentity(status))
    }

    private static func makeSocket() throws(StartFailure) -> Descriptor {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let number = socket(AF_UNIX, flags, 0)
        guard number >= 0 else { throw .system("A socket can't be created", code: errno) }
        return Descriptor(number)
    }
}

struct ListeningSocket: Sendable, Equatable {
    /// The listening descriptor; the receiver closes it.
    let descriptor: Int32
    let path: String
    let file: FileIdentity

    /// Removes the file, unless another daemon's has replaced it.
    func removeFile() {
        var status = stat()
        guard lstat(path, &status) == 0, FileIdentity(status) == file else { return }
        unlink(path)
    }
}

struct FileIdentity: Sendable, Equatable {
    private let device: UInt
    private let inode: UInt
    // A new file may reuse an inode.
    private let seconds, nanoseconds: Int

    init(_ status: stat) {
        (device, inode) = (status.st_dev, status.st_ino)
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }

    /// Identifies the running executable, as opposed to one that later replaces its file.
    static var ofExecutable: String {
        var status = stat()
        guard stat("/proc/self/exe", &status) == 0 else { return "" }
        return "\(status.st_dev) \(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }
}

/// A socket that systemd opened before the daemon started, by the protocol of sd_listen_fds(3).
struct InheritedSocket: Sendable, Equatable {
    var descriptor: Int32
    /// False for an accepted connection (`Accept=yes`).
    var isListening: Bool

    /// - Throws: `StartFailure` with status 78 if one of them is no Unix stream socket.
    static func take(environment: [String: String], pid: Int32, first: Int32) throws(StartFailure) -> [InheritedSocket] {
        guard environment["LISTEN_PID"] == String(pid), let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), count > 0,
            count <= 4096
        else { return [] }
        var sockets: [InheritedSocket] = []
        for offset in 0..<count {
            let descriptor = first + offset
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, let isListening = UnixSocket.isListening(descriptor) else {
                throw StartFailure(
                    .configuration,
                    "The descriptor \(descriptor) in LISTEN_FDS is not a Unix stream socket; see ListenStream= of the unit.")
            }
            sockets.append(InheritedSocket(descriptor: descriptor, isListening: isListening))
        }
        return sockets
    }
}

/// The address of a Unix socket: a path, or with a leading `@` a name in the abstract namespace.
struct UnixAddress: Sendable, Equatable {
    static let pathBytesMax = SocketLocation.pathBytesMax

    let name: String

    init?(_ name: String) {
        let bytes = name.utf8
        guard !bytes.isEmpty, bytes.count <= Self.pathBytesMax, !bytes.contains(0) else { return nil }
        self.name = name
    }

    func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: bytes)
            if bytes[0] == UInt8(ascii: "@") { path[0] = 0 }
        }
        let pathOffset = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path)
        // An abstract name has an explicit length; a path ends with a zero byte.
        let length = pathOffset + bytes.count + (bytes[0] == UInt8(ascii: "@") ? 0 : 1)
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
        }
    }
}

enum UnixSocket {
    /// Whether it listens or is connected; `nil`: no Unix stream socket.
    static func isListening(_ descriptor: Int32) -> Bool? {
        guard option(SO_DOMAIN, of: descriptor) == AF_UNIX, option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue) else {
            return nil
        }
        return option(SO_ACCEPTCONN, of: descriptor) != 0
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}

struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    consuming func released() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit { close(number) }
}
