import Glibc
import Testing
import TodoClient
import Varlink

/// Crashes at all points of a dispatch: the daemon is killed just before a certain system call.
@Suite(.ownThreads) struct CrashPointTests {
    @Test(.enabled(if: Tracer.isPossible, Tracer.reason))
    func `a crash before, in or after a commit leaves all of a batch or nothing, and its key once`() throws {
        let daemon = try Daemon.started()
        try daemon.connect().dispatch([Actions.add("Buy the milk")])
        var keys = Keys(seed: 5)
        var (kept, gone, answered) = (0, 0, 0)
        // The pages of a commit, their flush, the meta page and its flush; then the wake-ups and the reply. The tracer counts
        // each of these calls separately.
        let points = [
            ("pwrite64,pwritev", [1, 2, 3]), ("fdatasync,fsync,msync", [1, 2]), ("write,writev", [1, 2]), ("sendmsg,sendto", [1]),
        ]
        // Five of the moments lie within the commit, so four rounds kill it there twenty times.
        for (calls, moments) in Array(repeating: points, count: 4).joined() {
            for moment in moments {
                let before = try daemon.connect().sequence()
                let key = keys.next()
                let actions = [Actions.increment, Actions.add("Todo \(key)"), Actions.increment]
                let tracer = try Tracer(daemon.pid, at: calls, "signal=SIGKILL:when=\(moment)")
                let answer = try dispatchUntilClosed(daemon, actions, key)
                try daemon.kill()
                try tracer.end()
                try daemon.start()
                let client = try daemon.connect()
                let found = try client.log(from: before).dropFirst().filter { $0["key"]?.text == key }
                #expect(found.isEmpty || found.count == 3, "\(calls) \(moment)")
                let again = try client.dispatch(actions, key: key)
                #expect(again.sequences == Array(before + 1...before + 3))
                #expect(again.isDuplicate == !found.isEmpty)
                if let answer {
                    answered += 1
                    #expect(answer.sequences == again.sequences && again.isDuplicate)
                } else if found.isEmpty {
                    gone += 1
                } else {
                    kept += 1
                }
            }
        }
        // Both sides of the commit must occur, otherwise the test proves nothing.
        #expect(kept > 0 && gone > 0, "kept \(kept), gone \(gone), answered \(answered)")
        let client = try daemon.connect()
        #expect(try Model(log: client.log()) == Model(state: client.state()))
    }

    private func dispatchUntilClosed(_ daemon: Daemon, _ actions: [Value], _ key: String) throws -> Client.Answer? {
        do {
            return try daemon.connect(seconds: 30).dispatch(actions, key: key)
        } catch VarlinkClientError.closed {
            return nil
        } catch VarlinkClientError.unreachable(let number) where [ECONNREFUSED, ECONNRESET, EPIPE].contains(number) {
            return nil
        }
    }
}
