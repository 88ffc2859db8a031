import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct ExchangeTests {
    private func verify(_ directory: String) throws -> Command.Outcome {
        try Command.run([Products.todod, "--verify", "--data", directory], seconds: 120)
    }

    private func compacting(_ daemon: Daemon, before point: String, times: Int = 1) -> Background<Void> {
        Background { [socket = daemon.socket, home = daemon.directory.path] in
            for _ in 0..<times {
                let outcome = try Command.run(
                    [Products.todoctl, "compact", "--before", point, "--yes"],
                    environment: ["HOME": home, "TODOD_SOCKET": socket])
                #expect(outcome.end == .exit(0), "\(outcome)")
            }
        }
    }

    @Test(.enabled(if: Tracer.isPossible, Tracer.reason), arguments: ["data.mdb", "lock.mdb"])
    func `a reader sees the old files or the new ones while a compaction exchanges them`(name: String) throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        for number in 0..<41 { try client.dispatch([Actions.add("Todo \(number)")], key: "key \(number)") }
        // One of the two renames is delayed by three seconds. The new files that are not renamed yet exist during that time.
        let made = daemon.data + "/exchange.new"
        func waiting() -> Set<String> { Set((try? FileManager.default.contentsOfDirectory(atPath: made)) ?? []) }
        let tracer = try Tracer(daemon.pid, at: "rename,renameat,renameat2", "delay_enter=3000000", path: made + "/" + name)
        let compaction = compacting(daemon, before: "30")
        let wanted: Set = name == "data.mdb" ? ["data.mdb", "lock.mdb"] : ["lock.mdb"]
        while waiting() != wanted, !compaction.isOver {}
        #expect(!compaction.isOver)
        var looks = [try verify(daemon.data)]
        // A process that opens the log between the two renames finishes the exchange.
        if name == "lock.mdb" { #expect(waiting().isEmpty) }
        repeat { looks.append(try verify(daemon.data)) } while !compaction.isOver
        try compaction.value()
        try tracer.end()
        for look in looks + [try verify(daemon.data)] { #expect(look.end == .exit(0), "\(look)") }
        #expect(try client.dispatch([Actions.increment]).sequences == [42])
        try daemon.crash()
        #expect(try daemon.connect().dispatch([Actions.increment]).sequences == [43])
        #expect(try daemon.stop() == .exit(0))
        #expect(try verify(daemon.data).end == .exit(0))
    }

    enum Rename: CaseIterable, Sendable {
        case isNotDone, isDone, isLost
    }

    @Test(.enabled(if: Tracer.isPossible, Tracer.reason), arguments: Rename.allCases)
    func `a rename that fails during a compaction loses nothing, whether or not it was executed`(rename: Rename) throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        let client = try daemon.connect()
        for number in 1...40 { try client.dispatch([Actions.add("Todo \(number)")]) }
        let (made, place) = (daemon.data + "/exchange.new/data.mdb", daemon.data + "/data.mdb")
        // The call is not made and fails after three seconds. The test does the work of the call before that.
        let tracer = try Tracer(
            daemon.pid, at: "rename,renameat,renameat2", "error=EIO:delay_enter=3000000:when=1", path: made)
        let compaction = Background { [socket = daemon.socket, home = daemon.directory.path] in
            try Command.run(
                [Products.todoctl, "compact", "--before", "30", "--yes"], environment: ["HOME": home, "TODOD_SOCKET": socket])
        }
        while !FileManager.default.fileExists(atPath: made), !compaction.isOver {}
        switch rename {
        case .isNotDone: break
        case .isDone: #expect(Glibc.rename(made, place) == 0)
        case .isLost: #expect(Glibc.rename(made, daemon.directory.path + "/lost") == 0)
        }
        let outcome = try compaction.value()
        if rename == .isLost {
            #expect(try daemon.waitForEnd(seconds: 60) == .exit(74), "\(daemon.output)")
            try tracer.end()
            try daemon.start()
        } else {
            #expect((outcome.end == .exit(0)) == (rename == .isDone), "\(outcome)")
            for number in 41...50 { try client.dispatch([Actions.add("Todo \(number)")]) }
            try tracer.end()
            try daemon.crash()
        }
        let count = rename == .isLost ? 40 : 50
        #expect(try daemon.connect().state("todos.items").titles.count == count)
        #expect(try daemon.connect().dispatch([Actions.increment]).sequences == [Int64(count + 1)])
        #expect(try daemon.stop() == .exit(0))
        #expect(try verify(daemon.data).end == .exit(0))
    }

    @Test func `a log is intact for readers during endless writes and compactions`() throws {
        let daemon = try Daemon.started()
        let client = try daemon.connect()
        // Compactions refer to a point three records back, however late the writers begin.
        for number in 1...4 { try client.dispatch([Actions.add("Todo \(number)")]) }
        _ = try client.call("org.todod.Admin.Hold", ["on": true])
        let writers = Storm.writers(on: daemon.socket)
        let compactions = compacting(daemon, before: "@-3", times: 10)
        var looks: [Command.Outcome] = []
        repeat { looks.append(try verify(daemon.data)) } while !compactions.isOver
        try compactions.value()
        for writer in writers { try writer.value() }
        for look in looks { #expect(look.end == .exit(0), "\(look)") }
    }
}
