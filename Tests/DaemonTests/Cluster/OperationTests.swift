import EtcdTesting
import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Tests of the operation of daemons that share a log.
@Suite(.ownThreads, .serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"))
struct OperationTests {
    @Test func `the status lists the machines, whether they have the same records, and a lost quorum`() throws {
        let team = try Team(members: 3, daemons: 2)
        let (one, two) = (team.daemons[0], team.daemons[1])
        try one.connect().dispatch([Actions.add("Buy the milk")])
        _ = try team.heads()
        let shown = try one.todoctl("cluster")
        #expect(shown.end == .exit(0), "\(shown)")
        #expect(shown.lines.first == "log      todos, 1 batch, 1 record; the members keep all batches", "\(shown)")
        #expect(shown.lines.contains { $0.hasPrefix("machine  node0 (here): ") }, "\(shown)")
        #expect(shown.lines.contains { $0.hasPrefix("machine  node1: ") }, "\(shown)")
        let json = try one.connect().call("org.todod.Admin.Machines")
        #expect(json["batches"] == 1 && json["reason"] == nil && json["nodes"]?.list?.count == 2)

        let same = try two.todoctl("verify", "--cluster")
        #expect(same.end == .exit(0), "\(same)")
        #expect(same.lines.last == "The same on all machines up to record 1.")
        #expect(Set(same.lines.dropLast().map { $0.dropFirst(7) }).count == 1 && same.lines.count == 3, "\(same)")
        // A machine that can't report it is named without further values.
        two.signal(SIGSTOP)
        let silent = try one.todoctl("verify", "--cluster")
        two.signal(SIGCONT)
        #expect(silent.end == .exit(75) && silent.lines.contains("node1  did not answer in time"), "\(silent)")

        team.cluster.kill(1)
        #expect(try one.todoctl("cluster").lines.count { $0.hasPrefix("machine  ") } == 2)
        let metrics = try one.connect().metrics()
        #expect(metrics["todod_cluster_batches"] == 1)
        #expect(metrics[#"todod_cluster_node_following{node="node1"}"#] == 1)
        // Its report may arrive some seconds later.
        #expect((0...1).contains(metrics[#"todod_cluster_node_lag_batches{node="node1"}"#] ?? -1), "\(metrics)")
        #expect((0..<120).contains(metrics[#"todod_cluster_node_silent_seconds{node="node1"}"#] ?? -1), "\(metrics)")
        team.cluster.kill(2)
        var few = try one.todoctl("cluster")
        // It takes a moment until the last one has noticed that the others are gone.
        let deadline = Deadline(seconds: 30)
        let words = "Nothing can be changed: too few members of the cluster reach each other"
        while !few.text.contains(words), deadline.milliseconds > 0 {
            usleep(100_000)
            few = try one.todoctl("cluster")
        }
        #expect(few.lines.last?.hasPrefix(words) == true, "\(few)")
        // The state of the other machine is unknown now.
        #expect(try !one.connect().metrics().keys.contains { $0.contains("cluster_node_") })
    }

    @Test func `a log of one machine is reported as such and equals itself`() throws {
        let daemon = try Daemon.started(environment: Daemon.ownLog)
        try daemon.connect().dispatch([Actions.add("Buy the milk")])
        #expect(try daemon.todoctl("cluster").lines == ["The log is this machine's alone: TODOD_CLUSTER is not set."])
        let words = "There is nothing to compare: no cluster is configured."
        #expect(try daemon.todoctl("verify", "--cluster").lines.last == words)
        #expect(try daemon.connect().call("org.todod.Admin.Status")["cluster"] == nil)
        #expect(try !daemon.connect().metrics().keys.contains { $0.contains("cluster") })
    }

    @Test func `a machine begins with a backup of another and is the same in the common epoch`() throws {
        let team = try Team(members: 1, daemons: 2)
        let (one, two) = (team.daemons[0], team.daemons[1])
        try one.connect().dispatch([Actions.add("one")], key: "one")
        let backup = one.directory.path + "/backup"
        #expect(try one.todoctl("backup", backup).end == .exit(0))
        try one.connect().dispatch([Actions.add("two")])
        try two.stop()
        try two.leave()
        try FileManager.default.removeItem(atPath: two.data)
        let restored = try Command.run(
            [Products.todod, "--restore", backup, "--data", two.data, "--config", two.directory.path + "/todod.env"],
            environment: two.variables)
        #expect(
            restored.end == .exit(0) && restored.lines.first?.contains("as a copy of the shared log todos") == true, "\(restored)"
        )
        try two.start()
        let client = try two.connect()
        #expect(try client.sequence() == 2)
        #expect(try client.dispatch([Actions.add("one")], key: "one").isDuplicate)
        #expect(Set(try team.heads().map { $0["head"]?.text }).count == 1)
        #expect(try client.call("org.todod.Admin.Status")["commandsHeld"] == nil)

        // Anywhere else it is an independent log with held commands.
        let alone = try Daemon()
        let apart = try Command.run(
            [Products.todod, "--restore", backup, "--data", alone.data, "--config", alone.directory.path + "/todod.env"],
            environment: alone.variables)
        #expect(apart.end == .exit(0) && apart.lines.first?.contains("in a new epoch") == true, "\(apart)")
        try alone.start()
        #expect(try alone.connect().log().map { $0["kind"]?.text } == ["action", "epoch"])
    }

    @Test func `a redaction on one machine applies to all, and a compaction only to its own`() throws {
        let team = try Team(members: 1, daemons: 2)
        let (one, two) = (team.daemons[0], team.daemons[1])
        try one.connect().dispatch([Actions.add("My secret is 4711")])
        try two.connect().dispatch([Actions.add("Buy the milk")])
        _ = try team.heads()
        let watcher = try two.connect()
        try watcher.send("org.todod.Store.Subscribe", ["scope": "todos.items"], more: true)
        while try Client.result(watcher.receive())["complete"] == false {}
        let taken = try one.todoctl("redact", "1", "--yes")
        #expect(taken.end == .exit(0), "\(taken)")
        // Subscribers on other machines get the state again.
        var told = [try Client.result(watcher.receive())]
        while told.last?["complete"] == false { told.append(try Client.result(watcher.receive())) }
        #expect("\(told)".contains("redacted") && !"\(told)".contains("secret"), "\(told)")
        let client = try two.connect()
        #expect(try Set(client.state("todos.items").titles) == ["⟨redacted⟩", "Buy the milk"])
        #expect(try !client.log()[0].description.contains("secret"))
        #expect(try client.call("org.todod.Admin.Status")["redactions"] == 1)
        #expect(try two.todoctl("verify").end == .exit(0))
        #expect(try two.todoctl("verify", "--cluster").end == .exit(0))

        let compacted = try two.todoctl("compact", "--before", "1", "--yes")
        #expect(compacted.end == .exit(0), "\(compacted)")
        #expect(try two.connect().call("org.todod.Admin.Status")["base"] != nil)
        #expect(try one.connect().call("org.todod.Admin.Status")["base"] == nil)
        try two.connect().dispatch([Actions.add("Buy bread")])
        #expect(try one.todoctl("verify", "--cluster").end == .exit(0))
        let forgetting = try two.todoctl("compact", "--before", "2", "--forget-keys", "1d", "--yes")
        #expect(forgetting.end != .exit(0) && forgetting.error.contains("keys can't be forgotten"), "\(forgetting)")
        try two.crash()
        #expect(Set(try team.heads().map { $0["head"]?.text }).count == 1)
        let history = one.directory.path + "/history"
        #expect(try one.todoctl("export", history).end == .exit(0))
        let imported = try two.todoctl("import", history)
        #expect(imported.end != .exit(0) && imported.error.contains("found a shared log of another name"), "\(imported)")
        #expect(imported.end == .exit(1), "\(imported)")
    }

    @Test func `a password file that others can read is refused with a remedy`() throws {
        let secrets = TemporaryDirectory()
        let password = try secrets.write("a password\n", to: "password")
        let cluster = try EtcdCluster()
        let daemon = try Daemon(environment: [
            "TODOD_CLUSTER": "etcd://\(cluster.endpoints[0])/todos", "TODOD_CLUSTER_USER": "todod",
            "TODOD_CLUSTER_PASSWORD_FILE": password,
        ])
        for (mode, isRefused) in [(0o644, true), (0o602, true), (0o640, false), (0o600, false)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: password)
            let end = try daemon.startRefused()
            let words = "Other users can use \(password), which must be secret: chmod o= \(password)"
            #expect(end != .exit(0) && daemon.output.contains(words) == isRefused, "\(daemon.output)")
        }
    }

    @Test func `a password is not sent over an unencrypted network, and a certificate needs its key`() throws {
        let secrets = TemporaryDirectory()
        let file = try secrets.write("a secret\n", to: "secret")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let user = ["TODOD_CLUSTER_USER": "todod", "TODOD_CLUSTER_PASSWORD_FILE": file]
        let mistakes: [([String: String], String)] = [
            (user, "write https:// instead of etcd://"),
            (["TODOD_CLUSTER_CERTIFICATE_FILE": file], "certificate for the cluster is set, but its key is not"),
            (["TODOD_CLUSTER_KEY_FILE": file], "key for the cluster is set, but its certificate is not"),
        ]
        for (settings, words) in mistakes {
            let daemon = try Daemon(
                environment: settings.merging(["TODOD_CLUSTER": "etcd://127.0.0.1:1,192.0.2.1:2379/todos"]) { $1 })
            let end = try daemon.startRefused()
            #expect(end == .exit(78) && daemon.output.contains(words), "\(daemon.output)")
        }
    }

    @Test(.enabled(if: TestCertificates.arePossible, "\(TestCertificates.missing)"))
    func `a cluster that refuses a joining machine needs a person, and an unreachable one needs time`() throws {
        let (certificates, others) = (try TestCertificates(), try TestCertificates())
        let (plain, encrypted) = (try EtcdCluster(), try EtcdCluster(certificates: certificates))
        for cluster in [plain, encrypted] { try cluster.enableUsers() }
        let userless = try EtcdCluster()
        let secrets = TemporaryDirectory()
        func user(_ password: String) throws -> [String: String] {
            let file = try secrets.write(password + "\n", to: "password of \(password.count)")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
            return ["TODOD_CLUSTER_USER": EtcdCluster.user.name, "TODOD_CLUSTER_PASSWORD_FILE": file]
        }
        let right = try user(EtcdCluster.user.password)
        let strangeKey = others.settings().filter { $0.key == "TODOD_CLUSTER_KEY_FILE" }
        let authority = certificates.settings().filter { $0.key == "TODOD_CLUSTER_CA_FILE" }
        let (open, closed) = ("etcd://\(plain.endpoints[0])", "https://\(encrypted.endpoints[0])")
        let starts: [(String, [[String: String]], ChildProcess.End, String)] = [
            (open, [try user("another")], .exit(78), "the user is unknown, or the password is wrong"),
            (open, [], .exit(78), "names none: set TODOD_CLUSTER_USER"),
            // A certificate without a name identifies no user, so the members report another error.
            (closed, [certificates.settings()], .exit(78), "names none: set TODOD_CLUSTER_USER"),
            (closed, [right, certificates.settings(of: .named)], .exit(78), "has a common name"),
            (closed, [right, certificates.settings(of: .server)], .exit(78), "does not accept the certificate"),
            (closed, [right, authority], .exit(78), "or requires one: set TODOD_CLUSTER_CERTIFICATE_FILE"),
            (closed, [right, others.settings()], .exit(78), "not signed by an authority that this machine trusts"),
            ("etcd://\(userless.endpoints[0])", [right], .exit(78), "has no users"),
            ("etcd://\(encrypted.endpoints[0])", [], .exit(78), "write https:// instead of etcd://"),
            ("https://\(plain.endpoints[0])", [certificates.settings()], .exit(78), "write etcd:// instead of https://"),
            (closed, [right, certificates.settings(), strangeKey], .exit(78), "is not the key of the certificate"),
            (open, [try user("another")], .exit(78), "TODOD_CLUSTER_PASSWORD_FILE or the credential cluster-password"),
            ("etcd://127.0.0.1:1", [], .exit(75), "no member of the cluster can be reached"),
        ]
        for (address, settings, end, words) in starts {
            let all = settings.reduce(into: ["TODOD_CLUSTER": "\(address)/todos"]) { $0.merge($1) { $1 } }
            let daemon = try Daemon(environment: all)
            #expect(try daemon.startRefused() == end && daemon.output.contains(words), "\(daemon.output)")
        }
        let accepted = right.merging(certificates.settings()) { $1 }.merging(["TODOD_CLUSTER": "\(closed)/todos"]) { $1 }
        let daemon = try Daemon.started(environment: accepted)
        #expect(try daemon.connect().sequence() == 0)
    }

    @Test func `no batches are kept for a machine that left`() throws {
        let team = try Team(members: 1, daemons: 2)
        let (one, two) = (team.daemons[0], team.daemons[1])
        try one.connect().dispatch([Actions.add("one")])
        _ = try team.heads()
        try two.stop()
        let left = try Command.run(
            [Products.todod, "--detach", "--data", two.data, "--config", two.directory.path + "/todod.env"],
            environment: two.variables)
        #expect(left.end == .exit(0), "\(left)")
        let nodes = try one.connect().call("org.todod.Admin.Machines")["nodes"]?.list ?? []
        #expect(nodes.compactMap { $0["name"]?.text } == ["node0"])
        let words = "or open it without TODOD_CLUSTER, as after --detach."
        #expect(try two.startRefused() == .exit(78) && two.output.contains(words), "\(two.output)")
        two.environment["TODOD_CLUSTER"] = ""
        try two.start()
        #expect(try two.connect().dispatch([Actions.add("alone")]).sequences == [3])
    }

    @Test func `a machine that left begins a new epoch, even if its next start founds another log`() throws {
        let team = try Team(members: 1, daemons: 1)
        let daemon = team.daemons[0]
        try daemon.connect().dispatch([Actions.add("one")])
        try daemon.stop()
        let left = try Command.run(
            [Products.todod, "--detach", "--data", daemon.data, "--config", daemon.directory.path + "/todod.env"],
            environment: daemon.variables)
        #expect(left.end == .exit(0), "\(left)")
        daemon.environment["TODOD_CLUSTER"] = "etcd://\(team.cluster.endpoints.joined(separator: ","))/others"
        try daemon.start()
        #expect(try daemon.connect().log().map { $0["kind"]?.text } == ["action", "epoch"])
        #expect(try daemon.connect().call("org.todod.Admin.Status")["cluster"]?["obstacle"] == nil)
        #expect(try daemon.connect().metrics()["todod_cluster_following"] == 1)
        try daemon.stop()
        daemon.environment["TODOD_CLUSTER"] = "etcd://\(team.cluster.endpoints.joined(separator: ","))/todos"
        let words = "copy of the shared log others, not of todos: move its directory away, or make it a separate log with"
        #expect(try daemon.startRefused() == .exit(78) && daemon.output.contains(words + " --detach"), "\(daemon.output)")
    }
}
