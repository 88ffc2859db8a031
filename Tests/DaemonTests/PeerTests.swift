import Foundation
import Glibc
import ProcessTesting
import TestSupport
import Testing
import Varlink

@Suite(.ownThreads) struct PeerTests {
    static let canChange = getuid() == 0 && Products.tool("setpriv") != nil && Products.tool("socat") != nil
    static let reason: Comment = "speaking as another user needs root, setpriv and socat"

    /// Calls as another user and returns the replies.
    private func ask(as uid: UInt32, _ daemon: Daemon, _ method: String, _ parameters: Value) throws -> [Reply] {
        try ask(as: uid, daemon, calls: [Call(method, parameters.record ?? [])])
    }

    private func ask(as uid: UInt32, _ daemon: Daemon, calls: [Call]) throws -> [Reply] {
        var bytes: [UInt8] = []
        for call in calls { call.write(into: &bytes) }
        let (setpriv, socat) = (try #require(Products.tool("setpriv")), try #require(Products.tool("socat")))
        // socat waits this many seconds for the rest of the answer after the input ended.
        let outcome = try Command.run(
            [
                setpriv, "--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", socat, "-t", "20", "-",
                "UNIX-CONNECT:\(daemon.socket)",
            ], input: bytes)
        return try outcome.output.split(separator: 0).map { slice in
            let frame = Array(slice)
            return try Reply(parsing: frame.span)
        }
    }

    private func open(_ daemon: Daemon) {
        chmod(daemon.directory.path, 0o755)
        chmod(daemon.socket, 0o666)
    }

    @Test(.enabled(if: canChange, reason))
    func `two users dispatch to one daemon, and the log records each`() throws {
        let daemon = try Daemon.started()
        open(daemon)
        let dispatch = Client.dispatch([Actions.increment], key: "the same key")
        for uid: UInt32 in [1, 2] {
            let reply = try #require(try ask(as: uid, daemon, "org.todod.Store.Dispatch", dispatch).first)
            // A key belongs to a uid, so the second user's key is different.
            #expect(reply.error == nil && reply.parameters["duplicate"] == false, "\(reply)")
        }
        let client = try daemon.connect()
        try client.dispatch([Actions.increment])
        #expect(try client.log().compactMap { $0["origin"]?.int } == [1, 2, 0])
        // A step belongs to its uid as well.
        let foreign: Value = ["actions": [Actions.increment], "step": 1]
        #expect(Client.short(try client.ask("org.todod.Store.Dispatch", foreign)) == "UnknownStep")
    }

    @Test(.enabled(if: canChange, reason))
    func `one user can't use up all reminders and bookmarks`() throws {
        let daemon = try Daemon.started()
        open(daemon)
        let todo: Value = ["title": "Buy", "remind": "2099-01-01"]
        let many: Value = ["todos": ["add": ["items": .list(Array(repeating: todo, count: 8_192))]]]
        for (uid, error) in [(1, nil), (1, nil), (1, "TooManyDelayedCommands"), (2, nil), (0, nil)] as [(UInt32, String?)] {
            let few: Value = ["todos": ["add": ["items": [todo]]]]
            let reply = try #require(
                try ask(as: uid, daemon, "org.todod.Store.Dispatch", Client.dispatch([uid == 1 && error == nil ? many : few]))
                    .first)
            #expect(reply.error.map { _ in Client.short(reply) } == error, "\(uid): \(reply)")
            #expect(reply.parameters["uid"]?.int == error.map { _ in 1 })
        }
        let replies = try ask(
            as: 1, daemon, calls: (0...2_048).map { Call("org.todod.History.SetBookmark", [.init("bookmark", .text("b\($0)"))]) })
        #expect(replies.count == 2_049)
        #expect(replies.dropLast().allSatisfy { $0.error == nil })
        let refusal = try #require(replies.last)
        #expect(Client.short(refusal) == "TooManyBookmarks" && refusal.parameters["uid"]?.int == 1)
        for uid: UInt32 in [2, 0] {
            let reply = try ask(
                as: uid, daemon, "org.todod.History.SetBookmark", ["bookmark": .text("of-\(uid)")])
            #expect(reply.first.map { $0.error == nil } == true)
        }
    }

    @Test(.enabled(if: canChange, reason))
    func `reading and writing need their permissions`() throws {
        let names = try [1, 2].map { uid in try #require(getpwuid(uid_t(uid)).map { String(cString: $0.pointee.pw_name) }) }
        let daemon = try Daemon.started(environment: ["TODOD_ALLOW": "\(names[0]):r,\(names[1]):rw"])
        open(daemon)
        func error(_ uid: UInt32, _ method: String, _ parameters: Value = [:]) throws -> String? {
            try #require(try ask(as: uid, daemon, method, parameters).first, "no reply").error
        }
        let denied = "org.varlink.service.PermissionDenied"
        let change = Client.dispatch([Actions.increment])
        #expect(try error(1, "org.todod.Store.GetState", ["scope": "counter"]) == nil)
        #expect(try error(1, "org.todod.Store.Dispatch", change) == denied)
        func order(_ operation: Value) -> Value { ["id": ["sequence": 1, "index": 0], "operation": operation] }
        let writing: [(String, Value)] = [
            ("Store.Open", ["link": "todod:/"]), ("Admin.ChangeCommand", order("retry")),
            ("Admin.ChangeCommand", order("skip")), ("Admin.ChangeCommand", order("cancel")),
            ("Admin.ChangeCommand", order("edit")),
            ("Admin.Hold", ["on": true]), ("Admin.Hold", ["on": false]), ("Admin.Debug", ["feature": "counter", "on": true]),
        ]
        for (method, parameters) in writing { #expect(try error(1, "org.todod." + method, parameters) == denied, "\(method)") }
        #expect(try error(2, "org.todod.Store.GetState", ["scope": "counter"]) == nil)
        #expect(try error(2, "org.todod.Store.Dispatch", change) == nil)
        #expect(try error(3, "org.todod.Store.GetState", ["scope": "counter"]) == denied)
        #expect(try error(3, "org.todod.Store.Dispatch", change) == denied)
        #expect(try daemon.connect().log().compactMap { $0["origin"]?.int } == [2])
    }

    @Test(.enabled(if: canChange, reason))
    func `long searches of one user block neither short queries nor another user's undos`() throws {
        let daemon = try Daemon.started()
        open(daemon)
        let searches = try Searches(daemon)
        defer { searches.end() }
        #expect(try searches.areFull)
        for uid: UInt32 in [1, 0] {
            let read = try ask(as: uid, daemon, "org.todod.Store.View", ["feature": "counter", "at": ["back": 1]])
            #expect(read.first?.error == nil && read.first?.parameters["sequence"] == 2_999, "\(read)")
            let state = try ask(as: uid, daemon, "org.todod.Store.GetState", ["scope": "counter", "at": ["sequence": 1_500]])
            #expect(state.first?.error == nil && state.first?.parameters["sequence"] == 1_500, "\(state)")
        }
        // The searches belong to the superuser. Another user's share is free.
        let check: Value = ["question": "violations", "expression": "true", "from": ["back": 0]]
        let searched = try ask(as: 1, daemon, "org.todod.History.Scan", check)
        #expect(searched.first?.error == nil, "\(searched)")
        let change = try ask(as: 1, daemon, "org.todod.Store.Dispatch", Client.dispatch([Actions.increment]))
        #expect(change.first?.error == nil)
        let undone = try ask(as: 1, daemon, "org.todod.History.Undo", [:])
        #expect(undone.first?.error == nil && undone.first?.parameters["first"] != nil, "\(undone)")
        #expect(try searches.areFull)
    }

    @Test(.enabled(if: canChange, reason))
    func `only an administrator changes recorded data, and the journal has every attempt`() throws {
        let names = try [1, 2].map { uid in try #require(getpwuid(uid_t(uid)).map { String(cString: $0.pointee.pw_name) }) }
        let group = try #require(getgrgid(getpwuid(2).pointee.pw_gid).map { String(cString: $0.pointee.gr_name) })
        let daemon = try Daemon.started(
            environment: ["TODOD_ALLOW": "\(names[0]):rw,@\(group):rwa", "TODOD_LOG_LEVEL": "critical"])
        open(daemon)
        let client = try daemon.connect()
        try client.dispatch([Actions.add("Buy milk")])
        let backup = daemon.directory.path + "/backup"
        let methods: [(String, Value)] = [
            ("Admin.Clients", [:]), ("Admin.Redact", ["sequence": 1]),
            ("Admin.ChangeCommand", ["id": ["sequence": 1, "index": 0], "operation": "edit", "arguments": [:]]),
            ("Admin.Hold", ["on": true]), ("Admin.Hold", ["on": false]),
            ("Admin.Debug", ["feature": "counter", "on": false]), ("Admin.Backup", ["directory": .text(backup)]),
            ("History.Upload", ["text": "a secret"]), ("History.Import", ["upload": 1]),
            ("History.Compact", ["before": ["sequence": 1]]),
        ]
        for (method, parameters) in methods {
            let reply = try #require(try ask(as: 1, daemon, "org.todod." + method, parameters).first)
            #expect(reply.error == "org.varlink.service.PermissionDenied", "\(method)")
        }
        #expect(try client.sequence() == 1)
        for (method, parameters) in methods {
            let reply = try #require(try ask(as: 2, daemon, "org.todod." + method, parameters).first)
            #expect(reply.error != "org.varlink.service.PermissionDenied", "\(method)")
        }
        try daemon.stop()
        let lines = daemon.output.split(separator: "\n")
        for (method, parameters) in methods {
            let on = parameters["on"].map { "on=\($0)" } ?? ""
            let told = lines.filter { $0.contains("method=org.todod.\(method) ") && (on.isEmpty || $0.contains(on)) }
            #expect(told.count == 2, "\(method): \(daemon.output)")
            #expect(told.first?.contains("outcome=org.varlink.service.PermissionDenied") == true)
            #expect(told.first?.contains("uid=1") == true && told.last?.contains("uid=2") == true)
        }
        #expect(
            lines.contains { $0.contains("org.todod.Admin.Redact") && $0.contains("outcome=done") && $0.contains("sequence=1") })
        #expect(!daemon.output.contains("secret"))
    }

    @Test(.enabled(if: canChange, reason))
    func `the permission of a malformed administrative call is checked first, and it is logged`() throws {
        let names = try [1, 2].map { uid in try #require(getpwuid(uid_t(uid)).map { String(cString: $0.pointee.pw_name) }) }
        let daemon = try Daemon.started(environment: ["TODOD_ALLOW": "\(names[0]):rw,\(names[1]):rwa"])
        open(daemon)
        // The last one is so large that it is parsed on another thread.
        let calls: [(method: String, parameters: Value)] = [
            ("org.todod.Admin.Redact", ["sequence": "one"]), ("org.todod.Admin.Hold", ["for": 1]),
            ("org.todod.History.Compact", [:]), ("org.todod.Admin.Backup", ["directory": .list([])]),
            ("org.todod.History.Import", ["upload": .text(String(repeating: "x", count: 100_000))]),
        ]
        let denied = "org.varlink.service.PermissionDenied"
        for (uid, outcome) in [(1, denied), (2, "org.varlink.service.InvalidParameter"), (3, denied)] as [(UInt32, String)] {
            for (method, parameters) in calls {
                // A large call of a user without access is not parsed at all.
                if uid == 3, method == calls.last?.method { continue }
                let reply = try #require(try ask(as: uid, daemon, method, parameters).first)
                #expect(reply.error == outcome, "\(method) by \(uid)")
            }
        }
        try daemon.stop()
        let lines = daemon.output.split(separator: "\n").filter { $0.contains("Not administered") }
        for (method, _) in calls {
            let told = lines.filter { $0.contains("method=\(method) ") }
            let users = method == calls.last?.method ? ["uid=1", "uid=2"] : ["uid=1", "uid=2", "uid=3"]
            #expect(told.count == users.count, "\(method): \(daemon.output)")
            for (line, user) in zip(told, users) { #expect(line.contains(user) && line.utf8.count < 2_048, "\(line)") }
            #expect(told.filter { $0.contains("outcome=\(denied)") }.count == users.count - 1, "\(told)")
        }
        #expect(lines.count == 14)
    }

    @Test(.enabled(if: canChange, reason))
    func `todoctl reports a missing permission with its exit status`() throws {
        let daemon = try Daemon.started()
        chmod(daemon.directory.path, 0o755)
        // A copy, because other users may not have access to the build directory. Another process makes it, because a child could
        // inherit a descriptor that writes to the program, and then it can't be executed.
        let copy = daemon.directory.path + "/todoctl"
        #expect(try Command.run([try #require(Products.tool("cp")), Products.todoctl, copy]).end == .exit(0))
        chmod(copy, 0o755)
        func todoctl() throws -> Command.Outcome {
            try Command.run([
                try #require(Products.tool("setpriv")), "--reuid=1", "--regid=1", "--clear-groups", copy, "counter", "--socket",
                daemon.socket,
            ])
        }
        let outside = try todoctl()
        #expect(outside.end == .exit(77) && outside.error.contains("group"), "\(outside)")
        chmod(daemon.socket, 0o666)
        let inside = try todoctl()
        #expect(inside.text == "0\n", "\(inside)")
    }

    @Test(.enabled(if: canChange, reason)) func `a user whom the kernel cannot name is refused`() throws {
        let daemon = try Daemon.started()
        open(daemon)
        let reply = try #require(try ask(as: 65_534, daemon, "org.todod.Store.GetState", ["scope": "counter"]).first)
        #expect(reply.error == "org.varlink.service.PermissionDenied")
    }

    @Test func `without a runtime directory both programs use a private one and trust no other user's`() throws {
        let directory = TemporaryDirectory()
        let notifications = try NotifySocket(path: directory.path + "/notify")
        let variables = Command.environment.merging(
            ["HOME": directory.path, "TMPDIR": directory.path, "NOTIFY_SOCKET": notifications.path]
        ) { $1 }
        let null = Glibc.open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(null) }
        func launch() throws -> ChildProcess {
            try ChildProcess([Products.todod], environment: variables, output: null, error: null)
        }
        let process = try launch()
        defer { process.signal(SIGKILL) }
        #expect(try notifications.await("READY=1", from: process) != nil)
        #expect(try Command.run([Products.todoctl, "counter", "increment"], environment: variables).text.hasSuffix("at 1.\n"))
        let place = "\(directory.path)/todod-\(getuid())"
        var status = stat()
        #expect(lstat(place, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        process.signal(SIGTERM)
        #expect(try process.wait(seconds: 30) == .exit(0))

        // A directory that others can write to is as bad as one of another user.
        chmod(place, 0o755)
        #expect(try Command.run([Products.todoctl, "counter"], environment: variables).end == .exit(77))
        let second = try launch()
        defer { second.signal(SIGKILL) }
        #expect(try second.wait(seconds: 30) == .exit(77))
    }
}
