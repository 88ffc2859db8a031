import Glibc
import TodoAPI
import Varlink

/// Keeps an exported file up to date, also over restarts of the daemon.
///
/// The file is written at the start and after changes of the todos, atomically. Changes during a write are written together. The
/// filter is also evaluated each minute, because todos become overdue without a change.
final class TodoExportFollower {
    private let session: Session
    private let reader: Session
    private let export: TodoExport
    private let path: String
    private var following = FollowState()
    private var written: TodoExport.Made?
    private var minute: Int64 = 0
    // Whether a write failed and must be repeated.
    private var isWritePending = false

    private static let minuteMicroseconds: Int64 = 60_000_000
    // Maximum delay, in milliseconds, until a new minute or a writable file is noticed.
    private static let pollMilliseconds: Int32 = 1_000

    init(session: Session, reader: Session, export: TodoExport, path: String) {
        (self.session, self.reader, self.export, self.path) = (session, reader, export, path)
    }

    func run() throws(Failure) {
        session.client.whileWaiting = { [self] descriptor throws(Failure) in try wait(on: descriptor) }
        defer { session.client.whileWaiting = nil }
        let input = { SubscribeMethod.Input(scope: "todos.items") }
        try session.client.follow(SubscribeMethod.self, input, isLive: true) { [self] answer throws(Failure) in
            let reply = try answer.output()
            if following.reach(reply) { FollowState.tellChange(to: reply.epoch) }
            guard reply.complete else { return .more }
            if let written, written.epoch == reply.epoch, written.sequence >= reply.sequence { return .more }
            try write()
            return .more
        }
    }

    private func wait(on descriptor: Int32) throws(Failure) {
        var next = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&next, 1, Self.pollMilliseconds) == 0 {
            let isLate = !export.words.isEmpty && Clock.now() / Self.minuteMicroseconds != minute
            if written != nil, isWritePending || isLate { try write() }
        }
    }

    private func write() throws(Failure) {
        minute = Clock.now() / Self.minuteMicroseconds
        let made = try export.make(reader)
        let before = written
        defer { written = made }
        // The change may not affect these todos or this format.
        if let before, !isWritePending, before.text.utf8.elementsEqual(made.text.utf8) { return }
        do throws(Failure) {
            try put(made.text)
        } catch {
            // After a first success, failed writes are retried, for example when a disk is back.
            guard before != nil, error.code == .inputOutput else { throw error }
            if !isWritePending { Output.complain("\(error.message) It is written when that is possible again.") }
            isWritePending = true
            return
        }
        isWritePending = false
        if made.losses != before?.losses ?? [] { made.losses.forEach(Output.complain) }
        Output.complain("\(Visible.text(path)): \(Digits.counted(made.count, "todo")) as of record \(made.sequence)")
    }

    private func put(_ text: String) throws(Failure) {
        let file = try NewFile(try Self.place(path), replaces: true)
        try file.append(text)
        try file.finish()
    }

    private static func place(_ path: String) throws(Failure) -> String {
        if let place = realpath(path, nil) {
            defer { free(place) }
            return String(cString: place)
        }
        var file = stat()
        // A dangling link is kept until its target exists again.
        guard lstat(path, &file) != 0 || file.st_mode & S_IFMT != S_IFLNK else { throw NewFile.failure(path) }
        return path
    }
}
