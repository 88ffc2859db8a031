import Glibc
import TodoAPI
import TodoClient

/// Who can put a socket at a path, and whose answer from there is trusted.
///
/// It is looked at before the connection is made: what only root, the user and one other can change then, only these have changed
/// when the connection is there.
struct SocketPlace: Equatable {
    /// The path, as it was given.
    let path: String
    /// The user for whom this holds.
    let uid: UInt32
    /// The owner of the directory that holds the socket.
    let holder: UInt32
    /// The one besides root and the user who can change what stands there.
    let stranger: UInt32?

    /// Looks at each directory from the root to the socket; symbolic links are followed.
    ///
    /// - Throws: `unreachable` when one can't be looked at, `untrusted` when anybody, or several others, can change one of them.
    init(_ path: String, uid: UInt32) throws(VarlinkClientError) {
        var walk = Walk(path: path, uid: uid)
        let holder = try walk.end()
        guard walk.strangers.count < 2 else {
            throw .untrusted("Several others can change what is at \(Visible.text(path)). \(SocketPlace.remedy)")
        }
        (self.path, self.uid, self.holder, stranger) = (path, uid, holder, walk.strangers.first)
    }

    /// Refuses a server whom nobody chose.
    ///
    /// Root and the user are trusted everywhere. A socket that was looked for has to be theirs, or at the system's place that of the
    /// owner of its directory, or of anybody if only root could have put it there; one that was named may be anybody's, as long as no
    /// other one could have put it there.
    func check(server: UInt32, own: String, system: String = SocketLocation.system) throws(VarlinkClientError) {
        guard server != 0, server != uid else { return }
        switch path {
        case own: break
        // Whoever got a socket from systemd and listens to it is the one who answers, under whatever uid the unit runs.
        case system where server == holder || holder == 0 && stranger == nil: return
        case system: break
        case _ where stranger == nil || stranger == server: return
        default: break
        }
        throw .untrusted("Uid \(server) answers at \(Visible.text(path)), who should not serve you there. \(SocketPlace.remedy)")
    }

    private static let remedy = "Name a socket in a directory that only you or root can change, with --socket."
}

extension VarlinkClient {
    /// Connects to a daemon that the user chose.
    static func trusted(_ path: String, patience: Int? = nil) throws(VarlinkClientError) -> VarlinkClient {
        let uid = getuid()
        let place = try SocketPlace(path, uid: uid)
        return try VarlinkClient(path, patience: patience) { server throws(VarlinkClientError) in
            try place.check(server: server, own: SocketLocation(environment: Environment.variable, uid: uid).user)
        }
    }
}

extension SocketPlace {
    /// One way down, a directory at a time.
    private struct Walk {
        /// Symbolic links that are followed; as many as Linux follows.
        private static let linksMax = 40

        private(set) var strangers: Set<UInt32> = []
        private let uid: UInt32
        // What is still to come, the next name last.
        private var names: [Substring]
        private var directory = "/"
        private var links = 0

        init(path: String, uid: UInt32) {
            self.uid = uid
            names = ((path.hasPrefix("/") ? "" : Walk.workingDirectory) + "/" + path).split(separator: "/").reversed()
        }

        /// Goes to the end, and answers who owns the last directory.
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

        /// Goes through the directory that was reached to an entry of it, and answers who owns the directory.
        private mutating func enter(_ entry: String) throws(VarlinkClientError) -> UInt32 {
            let (status, below) = (try Walk.status(of: directory), try Walk.status(of: entry))
            if status.st_uid != 0, status.st_uid != uid { strangers.insert(status.st_uid) }
            if status.st_mode & 0o022 != 0 {
                // With the sticky bit everybody can add to it, and nobody can replace what is another's.
                guard status.st_mode & S_ISVTX != 0 else {
                    let advice = status.st_uid == uid ? "Run: chmod go-w \(Visible.text(directory))" : SocketPlace.remedy
                    throw .untrusted("Others can change \(Visible.text(directory)), and so answer in its place. \(advice)")
                }
                guard below.st_uid == 0 || below.st_uid == uid else {
                    throw .untrusted(
                        "\(Visible.text(entry)) belongs to uid \(below.st_uid), where everybody could have made it. \(SocketPlace.remedy)"
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
