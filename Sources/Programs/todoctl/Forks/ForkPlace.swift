import Chronicle
import Glibc
import TodoAPI

/// The directory of a fork, with its log, its socket and its output.
struct ForkPlace: Equatable {
    static let nameBytesMax = 32
    /// Verbs and reserved words, which a fork must not have as its name.
    static let reservedNames = ["make", "list", "start", "stop", "remove", "merge", "help"]

    let name: String
    let directory: String

    var data: String { directory + "/data" }
    var socket: String { SocketLocation.socket(in: directory) }
    /// Standard output of the daemon if there is no journal.
    var output: String { directory + "/output" }
    /// The file that names the original log.
    var origin: String { "\(data)/\(ForkMessage.fileName)" }
    /// The place of the fork while it is being created.
    var unfinished: ForkPlace { ForkPlace(name: name, directory: "\(parent)/.\(name)\(Self.unfinishedSuffix)") }
    let parent: String

    private static let unfinishedSuffix = ".new"

    private init(name: String, directory: String) {
        (self.name, self.directory) = (name, directory)
        parent = directory.lastIndex(of: "/").map { String(directory[..<$0]) } ?? "."
    }

    init(_ name: String) throws(Failure) {
        guard Self.isName(name) else {
            throw Failure(
                .usage,
                "\(Visible.text(name)) can't be the name of a fork: use a letter, then letters, digits, '-', '_' "
                    + "and '.', at most \(Self.nameBytesMax) in total, and no verb of fork.")
        }
        self.init(name: name, directory: "\(try Self.parent())/\(name)")
        guard unfinished.socket.utf8.count <= SocketLocation.pathBytesMax else {
            throw Failure(
                .usage, "\(Visible.text(socket)) is too long for a socket: choose a shorter name, or another XDG_STATE_HOME.")
        }
    }

    init(existing name: String) throws(Failure) {
        try self.init(name)
        var status = stat()
        guard lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Failure(.refused, "There is no fork \(Visible.text(name)). To list them: todoctl fork list")
        }
    }

    /// The fork that owns a socket; `nil` if none does.
    init?(socket: String) {
        guard let parent = try? Self.parent(), socket.hasPrefix(parent + "/") else { return nil }
        let names = socket.dropFirst(parent.utf8.count + 1).split(separator: "/")
        guard names.count == 2, let place = try? ForkPlace(String(names[0])), place.socket == socket else { return nil }
        self = place
    }

    private static func isName(_ name: String) -> Bool {
        StateDirectory.isName(name, bytesMax: nameBytesMax) && !reservedNames.contains(name)
    }

    /// Next to the user's log and not inside it: a directory that contains forks could not be restored into.
    private static func parent() throws(Failure) -> String { try StateDirectory.path(of: "todod-forks") }
}

extension ForkPlace {
    /// All forks of the user, sorted by name.
    static func all() throws(Failure) -> [ForkPlace] {
        DirectoryTree.names(in: try parent()).sorted().compactMap { try? ForkPlace(existing: $0) }
    }

    /// Unfinished forks; their creators are gone if the lock is free.
    var allUnfinished: [ForkPlace] {
        DirectoryTree.names(in: parent).filter { $0.hasPrefix(".") && $0.hasSuffix(Self.unfinishedSuffix) }
            .map { ForkPlace(name: $0, directory: "\(parent)/\($0)") }
    }

    /// The socket, if it is not a symbolic link: a link could make this stop or change another daemon.
    func ownSocket() throws(Failure) -> String {
        var status = stat()
        guard lstat(socket, &status) != 0 || status.st_mode & S_IFMT != S_IFLNK else {
            throw Failure(
                .refused, "\(Visible.text(socket)) leads to another daemon than that of the fork \(name): remove that link.")
        }
        return socket
    }

    func read() throws(Failure) -> ForkMessage {
        do throws(APIError) { return try ForkMessage(file: DirectoryTree.contents(of: origin)) } catch {
            throw Failure(
                .damaged,
                """
                \(Visible.text(origin)), which says what \(name) is a fork of, can't be read.
                Its records are kept. To make a log of its own of them: todoctl fork stop \(name), \
                then todod --restore \(Visible.text(data)) --data NEW-DIRECTORY
                To remove the fork with them: todoctl fork remove \(name) --yes
                """)
        }
    }
}
