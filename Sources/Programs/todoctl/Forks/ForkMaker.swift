import Chronicle
import Glibc
import TodoAPI

/// Creates a fork: exports the log up to a moment from a running daemon and starts a daemon on the copy.
///
/// The fork is built under a temporary name and renamed when it is complete. If the process is killed, the next fork removes the
/// unfinished directory.
struct ForkMaker {
    let place: ForkPlace
    let session: Session

    static let interrupted = Failure(.unreachable, "Ended by a signal. There is no such fork.")

    /// Creates it from the log up to a point, by default from all of it.
    ///
    /// Its current and future commands are held before the first dispatch is possible.
    func make(_ point: Point?) throws(Failure) {
        try DirectoryTree.make(place.parent)
        let making = try ExclusiveFile(place.parent + "/.making", orSay: "Another fork is being made. Try again when it is done.")
        defer { withExtendedLifetime(making) {} }
        guard access(place.directory, F_OK) != 0 else {
            throw Failure(.refused, "There is a fork \(place.name) already. To remove it: todoctl fork remove \(place.name)")
        }
        for leftOver in place.allUnfinished { try Self.discard(leftOver) }
        let unfinished = place.unfinished
        Interruption.hold()
        defer { Interruption.release() }
        do throws(Failure) {
            try DirectoryTree.make(unfinished.data)
            try fill(unfinished, point)
            try DirectoryTree.move(unfinished.directory, to: place.directory)
        } catch {
            try? Self.discard(unfinished)
            throw error
        }
    }

    private static func discard(_ place: ForkPlace) throws(Failure) {
        try ForkDaemon(place: place).stop()
        try DirectoryTree.remove(place.directory)
    }

    private func fill(_ unfinished: ForkPlace, _ point: Point?) throws(Failure) {
        let daemon = ForkDaemon(place: unfinished)
        try daemon.startAlone()
        let client = try daemon.client()
        let (header, upload) = try LogCopy.copied(
            ExportMethod.Input(to: point, base: session.baseForExport()), from: session.client, to: client)
        if header.last > 0 { try take(upload, client) }
        _ = try client.call(HoldMethod.self, .init(on: true))
        let fork = ForkMessage(
            name: place.name, socket: session.client.socket, sequence: header.last, time: header.time, head: header.head)
        var bytes: [UInt8] = []
        fork.write(into: &bytes)
        try DirectoryTree.write(bytes, to: unfinished.origin)
        try daemon.stop()
        try checkInterruption()
    }

    private func take(_ upload: UInt64, _ client: Client) throws(Failure) {
        var last: ImportMethod.Output?
        var progress = Progress()
        // `risky`: testing another version that folds differently is a reason to fork.
        try client.stream(ImportMethod.self, ImportMethod.Input(upload: upload, risky: true)) { answer throws(Failure) in
            try checkInterruption()
            let reply = try answer.output()
            progress.show(record: reply.sequence, of: reply.last)
            last = reply
            return .more
        }
        progress.clear()
        if last?.verdict == "risky" { last?.reasons.forEach { Output.complain(Visible.text($0)) } }
    }

    private func checkInterruption() throws(Failure) { if Interruption.isRequested { throw Self.interrupted } }
}
