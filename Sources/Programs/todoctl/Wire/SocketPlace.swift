import Glibc
import TodoAPI
import TodoClient

/// Decides whether a server at a path can be trusted, by who can replace the socket.
///
/// The path is checked before connecting. If only root, the user and one other user can change it then, only they can have
/// changed it until the connection exists.
struct SocketPlace: Equatable {
    let path: String
    let uid: UInt32
    /// The owner of the socket's directory.
    let holder: UInt32
    /// The only other user who can replace the socket.
    let stranger: UInt32?

    /// Checks each directory from the root to the socket, following symbolic links.
    ///
    /// - Throws: `unreachable` if one can't be read; `untrusted` if everyone, or several other users, can change it.
    init(_ path: String, uid: UInt32) throws(VarlinkClientError) {
        var walk = Walk(path: path, uid: uid)
        let holder = try walk.end()
        guard walk.strangers.count < 2 else {
            throw .untrusted("Several other users can replace \(Visible.text(path)). \(SocketPlace.remedy)")
        }
        (self.path, self.uid, self.holder, stranger) = (path, uid, holder, walk.strangers.first)
    }

    /// Checks the uid of the server.
    ///
    /// Root and the user are always trusted. A default socket must belong to them. At the system's path the server may also be
    /// the owner of the directory, or anyone if only root could have created the socket. A named socket may belong to anyone, if
    /// no third user could have replaced it.
    func check(server: UInt32, own: String, system: String = SocketLocation.system) throws(VarlinkClientError) {
        guard server != 0, server != uid else { return }
        switch path {
        case own: break
        // With socket activation the server may have any uid.
        case system where server == holder || holder == 0 && stranger == nil: return
        case system: break
        case _ where stranger == nil || stranger == server: return
        default: break
        }
        throw .untrusted("Uid \(server) answers at \(Visible.text(path)) but is not trusted there. \(SocketPlace.remedy)")
    }

    private static let remedy = "Name a socket in a directory that only you or root can change, with --socket."
}

extension VarlinkClient {
    static func trusted(_ path: String, patience: Int? = nil) throws(VarlinkClientError) -> VarlinkClient {
        let uid = getuid()
        let place = try SocketPlace(path, uid: uid)
        return try VarlinkClient(path, patience: patience) { server throws(VarlinkClientError) in
            try place.check(server: server, own: SocketLocation(environment: Environment.variable, uid: uid).user)
        }
    }
}

extension SocketPlace {
    private struct Walk {
        private static let linksMax = 40

        private(set) var strangers: Set<UInt32> = []
        private let uid: UInt32
        // The remaining names in reverse order.
        private var names: [Substring]
        private var directory = "/"
        private var links = 0

        init(path: String, uid: UInt32) {
            self.uid = uid
            names = ((path.hasPrefix("/") ? "" : Walk.workingDirectory) + "/" + path).split(separator: "/").reversed()
        }

        /// Resolves the whole path and returns the owner of the last directory.
        mutating func end() throws(VarlinkClientError) -> UInt32 {
            var holder: UInt32 = 0
            while let name = names.popLast() {
                switch name {
                case ".": break
                case "..": directory = String(directory[..<(directory.lastIndex(of: "/") ?? directory.startIndex)])
                default: holder = try enter(directory.hasSuffix("/") ? "/\(name)" : "\(directory)/\(name)")
                }
                if directory.isEmpty { directory = "/" }
            }
            return holder
        }

        /// Checks the current directory, enters one of its entries, and returns the owner of the directory.
        private mutating func enter(_ entry: String) throws(VarlinkClientError) -> UInt32 {
            let (status, below) = (try Walk.status(of: directory), try Walk.status(of: entry))
            if status.st_uid != 0, status.st_uid != uid { strangers.insert(status.st_uid) }
            if status.st_mode & 0o022 != 0 {
                // With the sticky bit others can add entries but can't replace them.
                guard status.st_mode & S_ISVTX != 0 else {
                    let advice = status.st_uid == uid ? "Run: chmod go-w \(Visible.text(directory))" : SocketPlace.remedy
                    throw .untrusted("Others can change \(Visible.text(directory)) and so replace the daemon. \(advice)")
                }
                guard below.st_uid == 0 || below.st_uid == uid else {
                    throw .untrusted(
                        "\(Visible.text(entry)) belongs to uid \(below.st_uid) and could have been created by anybody. \(SocketPlace.remedy)"
                    )
                }
            }
            if below.st_mode & S_IFMT == S_IFLNK { try follow(entry) } else { directory = entry }
            return status.st_uid
        }

        private mutating func follow(_ link: String) throws(VarlinkClientError) {
            links += 1
            guard links <= Walk.linksMax else { throw .unreachable(ELOOP) }
            var target = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(link, &target, target.count)
            guard count > 0 else { throw .unreachable(errno) }
            let text = String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
            if text.hasPrefix("/") { directory = "/" }
            names += text.split(separator: "/").reversed()
        }

        private static func status(of path: String) throws(VarlinkClientError) -> stat {
            var status = stat()
            guard lstat(path, &status) == 0 else { throw .unreachable(errno) }
            return status
        }

        private static var workingDirectory: String {
            guard let text = getcwd(nil, 0) else { return "" }
            defer { free(text) }
            return String(cString: text)
        }
    }
}
