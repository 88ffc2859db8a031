import ArgumentParser
import Foundation
import Testing
import TodoAPI
import TodoClient
import Varlink

@testable import todoctl

@Suite struct ClientTests {
    static let done = #"{"parameters":{"epoch":1,"sequences":[4],"ids":[],"duplicate":false,"presentations":[]}}"#
    static let ping = #"{"parameters":{"version":"0","epoch":1,"sequence":4}}"#

    func dispatch(_ key: String) -> [UInt8] {
        DispatchMethod.frame(.init(actions: [TodoAction.complete(3)], key: key))
    }

    @Test func `a call gets its answer`() throws {
        let daemon = try FakeDaemon([[.answer([Self.ping]), .answer([Self.ping])]])
        let client = try Client(socket: daemon.path)
        #expect(try client.call(PingMethod.self, NoFields()).sequence == 4)
        #expect(try client.call(PingMethod.self, NoFields()).sequence == 4)
        #expect(daemon.received.map(\.method) == ["org.todod.Admin.Ping", "org.todod.Admin.Ping"])
    }

    @Test func `a dispatch whose answer got lost is repeated with the same key`() throws {
        let daemon = try FakeDaemon([[.hangUp], [.hangUp], [.answer([Self.done])]])
        let members = try Client(socket: daemon.path).call(dispatch("k1"))
        #expect(members["sequences"] == [4])
        #expect(daemon.received.count == 3)
        #expect(daemon.received.allSatisfy { $0.parameters["key"] == "k1" && $0 == daemon.received[0] })
    }

    @Test(arguments: ["StoreBusy", "Stopping", "OutcomeUnknown", "TooManyConnections"])
    func `a call is retried with the same key if the daemon is too busy or goes away`(error: String) throws {
        let refusal = #"{"error":"org.todod.Store.\#(error)","parameters":{"message":"m"}}"#
        let first: [[FakeDaemon.Step]] =
            error == "StoreBusy" ? [[.answer([refusal]), .answer([Self.done])]] : [[.answer([refusal])], [.answer([Self.done])]]
        let daemon = try FakeDaemon(first)
        #expect(try Client(socket: daemon.path).call(dispatch("k2"))["sequences"] == [4])
        #expect(daemon.received.map { $0.parameters["key"] } == ["k2", "k2"])
    }

    @Test(arguments: [false, true]) func `a daemon that does not respond is reported after the timeout`(isStream: Bool)
        throws
    {
        let silent = try ListeningSocket(places: 8)
        let client = try Client(socket: silent.path)
        client.timeout = 60
        // The way of waiting makes no difference, and neither does an unlimited wait.
        client.whileWaiting = { descriptor throws(Failure) in
            var reply = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            while poll(&reply, 1, -1) == 0 {}
        }
        let failure = #expect(throws: Failure.self) {
            if isStream {
                try client.stream(SubscribeMethod.self, .init(), isLive: true) { _ in .more }
            } else {
                _ = try client.call(PingMethod.self, NoFields())
            }
        }
        #expect(failure?.code == .tryAgain, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("does not answer.\n") == true && failure?.message.contains("--timeout SECONDS") == true)
    }

    @Test func `a daemon that reads nothing, or accepts no connection, is reported after the timeout`() throws {
        let silent = try ListeningSocket(places: 0)
        let client = try Client(socket: silent.path)
        client.timeout = 60
        let unread = #expect(throws: Failure.self) { try client.call(Array(repeating: 1, count: 8 << 20)) }
        #expect(unread?.code == .tryAgain, "\(unread?.message ?? "")")
        var others: [VarlinkClient] = []
        #expect(throws: VarlinkClientError.timedOut) {
            while others.count < 16 { others.append(try VarlinkClient(silent.path, patience: 1)) }
        }
        let full = #expect(throws: Failure.self) { try client.call(PingMethod.self, NoFields()) }
        #expect(full?.code == .tryAgain, "\(full?.message ?? "")")
    }

    @Test(arguments: [false, true]) func `a daemon that works longer than the timeout is waited for`(isStream: Bool) throws {
        let info = #"{"parameters":{"vendor":"v"}}"#
        let daemon = try FakeDaemon([[.answerAfterOther([info], [Self.ping])]])
        let client = try Client(socket: daemon.path)
        client.timeout = 4_000
        if isStream {
            try client.stream(PingMethod.frame(NoFields()), isLive: true) { _ in .enough }
        } else {
            #expect(try client.call(PingMethod.self, NoFields()).sequence == 4)
        }
        #expect(daemon.received.map(\.method) == [PingMethod.name, "org.varlink.service.GetInfo"])
    }

    @Test func `retries end when the patience is over`() throws {
        let refusal = #"{"error":"org.todod.Store.StoreBusy","parameters":{"message":"Too many."}}"#
        let daemon = try FakeDaemon([Array(repeating: .answer([refusal]), count: 50)])
        let failure = #expect(throws: Failure.self) { try Client(socket: daemon.path, patience: 30_000).call(dispatch("k3")) }
        #expect(failure?.code == .tryAgain)
        #expect(failure?.message == "Too many.")
    }

    @Test(arguments: ["Unavailable", "StorageFull", "StoreBusy"])
    func `an unknown outcome remains unknown while the daemon refuses retries for temporary reasons`(next: String) throws {
        func refusal(_ name: String) -> FakeDaemon.Step {
            .answer([#"{"error":"org.todod.Store.\#(name)","parameters":{"message":"m"}}"#])
        }
        let daemon = try FakeDaemon([[refusal("OutcomeUnknown")], Array(repeating: refusal(next), count: 50)])
        let failure = #expect(throws: Failure.self) { try Client(socket: daemon.path, patience: 60_000).call(dispatch("k5")) }
        #expect(failure?.code == .inputOutput && failure?.error?.name == "org.todod.Store.OutcomeUnknown")
        #expect(failure?.message.contains("todoctl list --all") == true)
        #expect(daemon.received.count > 1 && daemon.received.allSatisfy { $0.parameters["key"] == "k5" })
    }

    @Test(arguments: ["Unavailable", "StorageFull"])
    func `a temporary refusal after a lost answer is reported as an unknown outcome`(next: String) throws {
        let refusal = FakeDaemon.Step.answer([#"{"error":"org.todod.Store.\#(next)","parameters":{"message":"m"}}"#])
        let daemon = try FakeDaemon([[.hangUp], [refusal]])
        let failure = #expect(throws: Failure.self) { try Client(socket: daemon.path).call(dispatch("k7")) }
        #expect(failure?.code == .inputOutput && failure?.error?.name == "org.todod.Store.OutcomeUnknown")
        #expect(failure?.message.contains("todoctl list --all") == true)
        #expect(daemon.received.map { $0.parameters["key"] } == ["k7", "k7"])
        let first = try FakeDaemon([[refusal]])
        #expect(throws: Failure(CallError("org.todod.Store.\(next)", [.init("message", "m")]), socket: first.path)) {
            try Client(socket: first.path).call(dispatch("k8"))
        }
    }

    @Test func `a refusal by a rule after an unknown outcome is definite`() throws {
        let refusals = ["OutcomeUnknown", "UnknownID"].map { name in
            [FakeDaemon.Step.answer([#"{"error":"org.todod.Store.\#(name)","parameters":{"message":"m","action":0}}"#])]
        }
        let daemon = try FakeDaemon(refusals)
        let failure = #expect(throws: Failure.self) { try Client(socket: daemon.path).call(dispatch("k6")) }
        #expect(failure?.code == .refused && daemon.received.count == 2)
    }

    @Test func `a missing daemon is not waited for`() {
        let failure = #expect(throws: Failure.self) { try Client(socket: "/nowhere/socket").call(PingMethod.self, NoFields()) }
        #expect(failure?.code == .unreachable)
    }

    @Test func `a client that has reached the daemon before waits for it, even on another connection`() throws {
        let daemon = try FakeDaemon([[.answer([Self.ping])]])
        let client = try Client(socket: daemon.path)
        let other = try client.another(patience: 30_000)
        _ = try client.call(PingMethod.self, NoFields())
        var pauses = 0
        other.pausing = { microseconds throws(Failure) in
            pauses += 1
            Clock.pause(microseconds: microseconds)
        }
        try FileManager.default.removeItem(atPath: daemon.path)
        let failure = #expect(throws: Failure.self) { try other.call(PingMethod.self, NoFields()) }
        #expect(failure?.code == .unreachable && pauses > 0)
    }

    @Test func `on request the client waits for a daemon that does not exist yet, wherever its socket appears`() throws {
        let daemon = try FakeDaemon([[.answer([Self.ping])]])
        // A connection to a socket without a listener is refused.
        let abandoned = FileManager.default.temporaryDirectory.appending(path: "left-\(UInt32.random(in: 0 ... .max))").path
        try Data().write(to: URL(filePath: abandoned))
        defer { unlink(abandoned) }
        var places = [daemon.path, abandoned, "/nowhere/socket"]
        let client = try Client(SocketSearch(patience: 60_000_000) { places.count > 1 ? places.removeLast() : places[0] })
        #expect(try client.call(PingMethod.self, NoFields()).sequence == 4)
        #expect(places.count == 1 && client.socket == daemon.path)
    }

    @Test(arguments: ["/nowhere/socket", "/dev/null/socket"])
    func `a wait that times out ends with the same error as no wait, and at once if waiting can't help`(path: String) {
        let client = { (patience: Int64) in
            try Client(SocketSearch(patience: patience) { path }).call(PingMethod.self, NoFields())
        }
        let end = #expect(throws: Failure.self) { try client(path == "/nowhere/socket" ? 20_000 : 3_600_000_000) }
        #expect(end == #expect(throws: Failure.self) { try client(0) })
        #expect(end?.code == .unreachable)
    }

    @Test func `a refusal is reported with the daemon's message`() throws {
        let refusal = #"{"error":"org.todod.feature.Todos.TitleTooShort","parameters":{"message":"Too\u001b short.","action":2}}"#
        let daemon = try FakeDaemon([[.answer([refusal])]])
        let failure = #expect(throws: Failure.self) { try Client(socket: daemon.path).call(dispatch("k4")) }
        #expect(failure?.code == .refused)
        #expect(failure?.message == "Too\\u{1b} short.")
        #expect(failure?.refusal?.action == 2)
    }

    @Test func `a list is read again if the daemon goes away between its pages`() throws {
        func page(_ id: Int, _ end: String) -> String {
            #"{"parameters":{"epoch":1,"sequence":4,"state":{"todos":{"items":[{"id":\#(id),"title":"Milk"}]}}}\#(end)}"#
        }
        let first = page(1, #","continues":true"#)
        let daemon = try FakeDaemon([[.breakOff([first])], [.answer([first, page(2, "")])]])
        let session = try Session(try Options.parse([]), SocketSearch { daemon.path })
        let (todos, page) = try session.elements(.init(scope: "todos.items"), Todo.init)
        #expect(todos.map(\.id) == [1, 2] && page.sequence == 4)
        #expect(daemon.received.count == 2)
    }

    @Test func `todos are requested by id in one batch, and unknown ids are left out`() throws {
        let answers = [1, 2, 3].map { id in
            id == 2
                ? #"{"error":"org.todod.Store.UnknownID","parameters":{"message":"There is none.","id":2,"scope":"todos.items"}}"#
                : #"{"parameters":{"epoch":1,"sequence":4,"state":{"todos":{"items":[{"id":\#(id),"title":"Milk"}]}}}}"#
        }
        // The first is answered only when all have arrived.
        let daemon = try FakeDaemon([[.ignore, .ignore, .answer(answers)]])
        let session = try Session(try Options.parse([]), SocketSearch { daemon.path })
        #expect(try session.known([3, 1, 2]).keys.sorted() == [1, 3])
    }

    @Test func `the daemon filters a list, and one that is too old to do so is named`() throws {
        let refusal = #"{"error":"org.todod.Store.BadExpression","parameters":{"message":"no such function","column":20}}"#
        let daemon = try FakeDaemon([[.answer([refusal])]])
        var list = try Todoctl.parseAsRoot(["list", "--search", "Milk", "--limit", "3", "--socket", daemon.path])
        let failure = #expect(throws: Failure.self) { try list.run() }
        #expect(failure?.message.contains("restart it") == true)
        #expect(daemon.received.first?.parameters["limit"] == 3)
        #expect(daemon.received.first?.parameters["where"]?.text?.contains(#"contains(title, "Milk")"#) == true)
    }

    @Test(arguments: [
        ("2024-03-01 12:34", #"due <= "2024-03-01T12:34""#), ("2024-03-01", #"due <= "2024-03-01T23:59""#), ("now", "due <="),
    ])
    func `overdue at a time is relative to that time, not to the last record before it`(
        point: String, condition: String
    ) throws {
        let page = #"{"parameters":{"epoch":1,"sequence":4,"time":1,"count":0,"state":{"todos":{"items":[]}}}}"#
        let daemon = try FakeDaemon([[.answer([page])]])
        var list = try Todoctl.parseAsRoot(["list", "--overdue", "--at", point, "--json", "--socket", daemon.path])
        try list.run()
        #expect(daemon.received.count == 1)
        #expect(daemon.received.first?.parameters["where"]?.text?.contains(condition) == true, "\(daemon.received)")
    }

    @Test(arguments: [
        (["list"], #"{"error":"org.todod.Store.UnknownScope","parameters":{"message":"m","scope":"todos.items"}}"#, "todos"),
        (
            ["add", "Milk"], #"{"error":"org.todod.Store.BadAction","parameters":{"message":"m","action":0,"path":"todos"}}"#,
            "todos"
        ),
        (
            ["view", "posts"], #"{"error":"org.todod.Store.UnknownFeature","parameters":{"message":"m","feature":"posts"}}"#,
            "posts"
        ),
    ])
    func `a verb for a feature that the daemon does not have reports the daemon`(words: [String], error: String, feature: String)
        throws
    {
        let service = #"{"parameters":{"product":"counterd","version":"1","interfaces":["org.todod.feature.Counter"]}}"#
        let daemon = try FakeDaemon([[.answer([error]), .answer([service])]])
        var verb = try Todoctl.parseAsRoot(words + ["--socket", daemon.path])
        let failure = #expect(throws: Failure.self) { try verb.run() }
        #expect(failure?.message == "counterd has no \(feature); todoctl actions lists what it has.")
    }

    @Test func `a server that does not speak Varlink is reported`() throws {
        let daemon = try FakeDaemon([[.answer(["HTTP/1.1 400 Bad Request"])]])
        let failure = #expect(throws: Failure.self) { try Client(socket: daemon.path).call(PingMethod.self, NoFields()) }
        #expect(failure?.message.contains("is not a daemon that todoctl knows") == true)
    }

    @Test func `a stream is read to its end, and unread replies of a cancelled one answer no other call`() throws {
        func item(_ number: Int, last: Bool = false) -> String {
            #"{"parameters":{"n":\#(number)}"# + (last ? "}" : #","continues":true}"#)
        }
        let stream = [item(1), item(2), item(3, last: true)]
        let daemon = try FakeDaemon([[.answer(stream), .answer(stream)], [.answer([Self.ping])]])
        let client = try Client(socket: daemon.path)
        var numbers: [Int64] = []
        try client.stream(Call.frame("a.b", parameters: Array("{}".utf8), more: true)) { members in
            numbers.append(members["n"]?.int ?? 0)
            return .more
        }
        try client.stream(Call.frame("a.b", parameters: Array("{}".utf8), more: true)) { members in
            numbers.append(members["n"]?.int ?? 0)
            return .enough
        }
        #expect(numbers == [1, 2, 3, 1])
        #expect(try client.call(PingMethod.self, NoFields()).epoch == 1)
        #expect(daemon.received.map(\.more) == [true, true, false])
    }

    @Test func `a stream that breaks off is not restarted`() throws {
        let daemon = try FakeDaemon([[.breakOff([#"{"parameters":{},"continues":true}"#])], [.answer([Self.ping])]])
        let client = try Client(socket: daemon.path)
        var count = 0
        let failure = #expect(throws: Failure.self) {
            try client.stream(Call.frame("a.b", parameters: Array("{}".utf8), more: true)) { _ in
                count += 1
                return .more
            }
        }
        #expect(count == 1)
        #expect(failure?.code == .unreachable)
    }

    @Test func `a call that must not be repeated is not retried, and its outcome is unknown if its answer got lost`() throws {
        let call = Call.frame("a.b", parameters: Array("{}".utf8))
        let stopping = #"{"error":"org.todod.Store.Stopping","parameters":{"message":"m"}}"#
        for script: [[FakeDaemon.Step]] in [[[.hangUp]], [[.answer([stopping])]]] {
            let daemon = try FakeDaemon(script + [[.answer([Self.ping])]])
            let failure = #expect(throws: Failure.self) {
                try Client(socket: daemon.path).call(call, ifLost: "todoctl log --from 3 --to 3")
            }
            #expect(failure?.message.contains("is unknown. To find out: todoctl log --from 3 --to 3") == true)
            #expect(daemon.received.count == 1)
            #expect([.unreachable, .tryAgain].contains(failure?.code))
        }
        let busy = #"{"error":"org.todod.Store.QueryBusy","parameters":{"message":"m"}}"#
        let daemon = try FakeDaemon([[.answer([busy]), .answer([Self.ping])]])
        #expect(try Client(socket: daemon.path).call(call, ifLost: "x")["sequence"] == 4)
    }

    @Test func `a followed stream continues after its last item, over any number of connections`() throws {
        func item(_ number: Int) -> String { #"{"parameters":{"n":\#(number)},"continues":true}"# }
        let stopping = #"{"error":"org.todod.Store.Stopping","parameters":{"message":"m"}}"#
        let daemon = try FakeDaemon([
            [.breakOff([item(1), item(2)])], [.hangUp], [.answer([item(3), stopping])], [.breakOff([stopping])],
            [.answer([item(4)])],
        ])
        var numbers: [Int64] = []
        try Client(socket: daemon.path).follow({
            Call.frame("a.b", parameters: Array(#"{"from":\#(numbers.count + 1)}"#.utf8), more: true)
        }) { members in
            numbers.append(members["n"]?.int ?? 0)
            return numbers.count == 4 ? .enough : .more
        }
        #expect(numbers == [1, 2, 3, 4])
        #expect(daemon.received.map { $0.parameters["from"]?.int } == [1, 3, 3, 4, 4])
    }

    @Test func `pipelined calls keep their order, and unanswered ones are repeated`() throws {
        func answer(_ number: Int) -> FakeDaemon.Step { .answer([#"{"parameters":{"n":\#(number)}}"#]) }
        let daemon = try FakeDaemon([[answer(0), answer(1), .ignore, .ignore, .hangUp], [answer(2), answer(3), answer(4)]])
        var next = 0
        var subjects: [Int] = []
        var numbers: [Int64] = []
        try Client(socket: daemon.path).exchange(
            window: 5,
            next: {
                guard next < 5 else { return nil }
                next += 1
                return PendingCall(frame: Call.frame("a.b", parameters: Array(#"{"call":\#(next - 1)}"#.utf8)), subject: next - 1)
            },
            take: { (outcome, subject: Int) throws(Failure) in
                subjects.append(subject)
                numbers.append(try outcome.get()["n"]?.int ?? -1)
                return nil
            })
        #expect(numbers == [0, 1, 2, 3, 4])
        #expect(subjects == [0, 1, 2, 3, 4])
        #expect(daemon.received.map { $0.parameters["call"]?.int } == [0, 1, 2, 3, 4, 2, 3, 4])
    }

    @Test func `a key is 32 hex digits that begin with the time`() {
        #expect(DispatchKey.make(time: 1, random: 255) == "000000000000000100000000000000ff")
        #expect(DispatchKey.make().utf8.count == 32)
        #expect(DispatchKey.make() != DispatchKey.make())
        #expect(DispatchKey.make(time: 5, random: .max) < DispatchKey.make(time: 6, random: 0))
    }
}
