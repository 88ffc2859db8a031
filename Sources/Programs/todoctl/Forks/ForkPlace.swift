import Chronicle
import Glibc
import TodoAPI

/// Where a fork of this user lies: a directory with its log, its socket, and what its daemon said.
struct ForkPlace: Equatable {
    /// The longest name, in bytes.
    static let nameBytesMax = 32
    /// What a verb below `fork` is called, so that no fork can be.
    static let reservedNames = ["make", "list", "start", "stop", "remove", "merge", "help"]

    let name: String
    let directory: String

    /// The directory of the log.
    var data: String { directory + "/data" }
    /// Where its daemon listens.
    var socket: String { SocketLocation.socket(in: directory) }
    /// What its daemon says, where no journal takes it.
    var output: String { directory + "/output" }
    /// What says of which log it is a fork.
    var origin: String { "\(data)/\(ForkMessage.fileName)" }
    /// Where it is made, before it has its name.
    var unfinished: ForkPlace { ForkPlace(name: name, directory: "\(parent)/.\(name)\(Self.unfinishedSuffix)") }
    /// Where all forks are.
    let parent: String

    private static let unfinishedSuffix = ".new"

    private init(name: String, directory: String) {
        (self.name, self.directory) = (name, directory)
        parent = directory.lastIndex(of: "/").map { String(directory[..<$0]) } ?? "."
    }

    /// The place of a name, whether a fork is there or not.
    init(_ name: String) throws(Failure) {
        guard Self.isName(name) else {
            throw Failure(
                .usage,
                "\(Visible.text(name)) can't be the name of a fork: begin with a letter, and go on with letters, digits, '-', '_' "
                    + "and '.', at most \(Self.nameBytesMax) in all; a verb of fork is none.")
        }
        self.init(name: name, directory: "\(try Self.parent())/\(name)")
        guard unfinished.socket.utf8.count <= SocketLocation.pathBytesMax else {
            throw Failure(
                .usage, "\(Visible.text(socket)) is too long for a socket: choose a shorter name, or another XDG_STATE_HOME.")
        }
    }

    /// The fork of a name; fails where there is none.
    init(existing name: String) throws(Failure) {
        try self.init(name)
        var status = stat()
        guard lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw Failure(.refused, "There is no fork \(Visible.text(name)). To list them: todoctl fork list")
        }
    }

    /// The fork whose daemon listens at a socket; `nil`: it is that of no fork.
    init?(socket: String) {
        guard let parent = try? Self.parent(), socket.hasPrefix(parent + "/") else { return nil }
        let names = socket.dropFirst(parent.utf8.count + 1).split(separator: "/")
        guard names.count == 2, let place = try? ForkPlace(String(names[0])), place.socket == socket else { return nil }
        self = place
    }

    private static func isName(_ name: String) -> Bool {
        StateDirectory.isName(name, bytesMax: nameBytesMax) && !reservedNames.contains(name)
    }

    /// Beside the log of the user's daemon, and not in there: a directory with forks in it is none that a log can be restored to.
    private static func parent() throws(Failure) -> String { try StateDirectory.path(of: "todod-forks") }
}

// MARK: - What is in it

extension ForkPlace {
    /// All forks of this user, by name.
    static func all() throws(Failure) -> [ForkPlace] {
        DirectoryTree.names(in: try parent()).sorted().compactMap { try? ForkPlace(existing: $0) }
    }

    /// Those that were never finished: whoever made them is gone, once nobody else makes one.
    var allUnfinished: [ForkPlace] {
        DirectoryTree.names(in: parent).filter { $0.hasPrefix(".") && $0.hasSuffix(Self.unfinishedSuffix) }
            .map { ForkPlace(name: $0, directory: "\(parent)/\($0)") }
    }

    /// Where its daemon alone listens: a link would lead to another one, which would be stopped or changed in its place.
    func ownSocket() throws(Failure) -> String {
        var status = stat()
        guard lstat(socket, &status) != 0 || status.st_mode & S_IFMT != S_IFLNK else {
            throw Failure(
                .refused, "\(Visible.text(socket)) leads to another daemon than that of the fork \(name): remove that link.")
        }
        return socket
    }

    /// Of which log it is a fork, and from which moment.
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
