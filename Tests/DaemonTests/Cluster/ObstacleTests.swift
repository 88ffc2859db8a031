import EtcdTesting
import Foundation
import ProcessTesting
import TestSupport
import Testing
import TodoClient
import Varlink

/// Tests of the messages to an operator about problems of a shared log.
@Suite(.ownThreads, .serialized, .enabled(if: EtcdCluster.isInstalled, "\(EtcdCluster.missing)"))
struct ObstacleTests {
    @Test func `a password that was changed at runtime is reported as such everywhere`() throws {
        let secrets = TemporaryDirectory()
        let file = try secret(EtcdCluster.user.password, in: secrets)
        let cluster = try EtcdCluster()
        try cluster.enableUsers()
        let daemon = try Daemon.started(environment: [
            "TODOD_CLUSTER": "etcd://\(cluster.endpoints[0])/todos", "TODOD_CLUSTER_USER": EtcdCluster.user.name,
            "TODOD_CLUSTER_PASSWORD_FILE": file,
        ])
        let client = try daemon.connect()
        try client.dispatch([Actions.add("one")])
        try cluster.changePassword(to: "another")
        let words = "the password is wrong: fix TODOD_CLUSTER_USER, and TODOD_CLUSTER_PASSWORD_FILE"
        // At the first dispatch, and once it was noticed.
        for _ in 0..<2 {
            let refused = try daemon.todoctl("add", "two")
            #expect(refused.end == .exit(75) && refused.error.contains(words), "\(refused)")
        }
        let status = try daemon.todoctl("status")
        #expect(status.text.contains(words), "\(status)")
        let shown = try daemon.todoctl("cluster")
        #expect(shown.text.contains(words) && !shown.text.contains("too few"), "\(shown)")
        #expect(daemon.output.contains("The cluster accepts nothing from this machine"), "\(daemon.output)")
        #expect(daemon.output.contains(words), "\(daemon.output)")

        try cluster.changePassword(to: EtcdCluster.user.password)
        try wait(for: "The cluster answers again", of: daemon)
        try client.dispatch([Actions.add("two")])
        #expect(try client.call("org.todod.Admin.Status")["cluster"]?["reason"] == nil)
    }

    @Test func `a machine starts with its copy although it can't read the data of the cluster`() throws {
        let cluster = try EtcdCluster()
        let environment = ["TODOD_CLUSTER": "etcd://\(cluster.endpoints[0])/todos"]
        let daemon = try Daemon.started(environment: environment)
        try daemon.connect().dispatch([Actions.add("one")])
        _ = try daemon.stop()
        try cluster.put("/todod/todos/head", [1])
        try daemon.start()
        #expect(try daemon.todoctl("list").text.contains("one"))
        let shown = try daemon.todoctl("cluster")
        #expect(shown.text.contains("/todod/todos/head"), "\(shown)")
    }

    @Test func `a user that is removed or loses its rights at runtime is reported as such`() throws {
        let secrets = TemporaryDirectory()
        let cluster = try EtcdCluster()
        try cluster.enableUsers()
        let daemon = try Daemon.started(environment: [
            "TODOD_CLUSTER": "etcd://\(cluster.endpoints[0])/todos", "TODOD_CLUSTER_USER": EtcdCluster.user.name,
            "TODOD_CLUSTER_PASSWORD_FILE": try secret(EtcdCluster.user.password, in: secrets),
        ])
        try daemon.connect().dispatch([Actions.add("one")])
        try cluster.revokeRight()
        let right = "grant the permission to the role of TODOD_CLUSTER_USER, with etcdctl role grant-permission"
        let without = try daemon.todoctl("add", "two")
        #expect(without.end == .exit(75) && without.error.contains(right), "\(without)")
        #expect(try daemon.todoctl("status").text.contains(right))
        try cluster.grantRight()
        try wait(for: "The cluster answers again", of: daemon)

        try cluster.removeUser()
        let unknown = try daemon.todoctl("add", "two")
        let words = "the user is unknown, or the password is wrong: fix TODOD_CLUSTER_USER"
        #expect(unknown.end == .exit(75) && unknown.error.contains(words), "\(unknown)")
        try cluster.addUser()
        try wait(for: "The cluster answers again", times: 2, of: daemon)
        try daemon.connect().dispatch([Actions.add("two")])
    }

    @Test func `a lost quorum is distinguished from members that do not answer`() throws {
        let team = try Team(members: 3, daemons: 1)
        let daemon = team.daemons[0]
        for member in 1...2 { team.cluster.kill(member) }
        try wait(for: "The cluster has lost its quorum", of: daemon)
        let refused = try daemon.todoctl("add", "one")
        let words = "too few members of the cluster reach each other"
        #expect(refused.end == .exit(75) && refused.error.contains(words), "\(refused)")
        #expect(try daemon.todoctl("status").text.contains(words))
        try team.cluster.start(1)
        try wait(for: "The cluster answers again", of: daemon)
        try daemon.connect().dispatch([Actions.add("one")])
    }

    @Test func `an import is refused by a daemon with a shared log before the upload`() throws {
        let alone = try Daemon.started(environment: Daemon.ownLog)
        for number in 0..<100 { try alone.connect().dispatch([Actions.add("Todo \(number)")]) }
        let exported = try alone.todoctl("export")
        #expect(exported.end == .exit(0) && exported.text.utf8.count > 20_000)
        let directory = TemporaryDirectory()
        let file = try directory.write(exported.text, to: "history")
        let team = try Team(members: 1, daemons: 1)
        let refused = try team.daemons[0].todoctl("import", file)
        #expect(refused.end == .exit(1) && refused.error.contains("Import into a log of its own"), "\(refused)")
        let received = try team.daemons[0].connect().metrics()["todod_received_bytes_total"]
        #expect(try #require(received) < 10_000)
    }

    @Test func `the journal says who founded and joined the log, and when the cluster goes and comes back`() throws {
        let team = try Team(members: 1, daemons: 2)
        let (one, two) = (team.daemons[0], team.daemons[1])
        #expect(one.output.contains("This machine founded the shared log") && !one.output.contains("joined"), "\(one.output)")
        #expect(two.output.contains("This machine joined the shared log") && !two.output.contains("founded"), "\(two.output)")
        team.cluster.kill(0)
        try wait(for: "The cluster no longer answers", of: one)
        let away = try one.connect().call("org.todod.Admin.Status")["cluster"]
        #expect(away?["away"] == true && away?["reason"] != nil, "\(String(describing: away))")
        try team.cluster.start(0)
        try wait(for: "The cluster answers again", of: one)
        #expect(one.output.components(separatedBy: "no longer answers").count == 2, "\(one.output)")
        let back = try one.connect().call("org.todod.Admin.Status")["cluster"]
        #expect(back?["away"] == false && back?["reason"] == nil, "\(String(describing: back))")
        try one.crash()
        #expect(!one.output.contains("founded") && !one.output.contains("joined"), "\(one.output)")
    }

    @Test func `configuration errors of the cluster that need no network are found before the start`() throws {
        let secrets = TemporaryDirectory()
        let open = try secrets.write("a password\n", to: "open")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
        let empty = try secret("", in: secrets)
        let (missing, address) = (secrets.path + "/missing", "https://192.0.2.1:2379/todos")
        let mistakes: [([String: String], String)] = [
            (["TODOD_CLUSTER_USER": "todod"], "set TODOD_CLUSTER_PASSWORD_FILE to a file with it"),
            (["TODOD_CLUSTER_USER": "todod", "TODOD_CLUSTER_PASSWORD_FILE": missing], "fix TODOD_CLUSTER_PASSWORD_FILE"),
            (["TODOD_CLUSTER_USER": "todod", "TODOD_CLUSTER_PASSWORD_FILE": open], "chmod o="),
            (["TODOD_CLUSTER_USER": "todod", "TODOD_CLUSTER_PASSWORD_FILE": empty], "the cluster's user, but is empty"),
            (
                ["TODOD_CLUSTER_CERTIFICATE_FILE": open, "TODOD_CLUSTER_KEY_FILE": missing],
                "\(missing) can't be read: fix TODOD_CLUSTER_KEY_FILE or the credential cluster-key."
            ),
            (["TODOD_CLUSTER_CA_FILE": missing], "TODOD_CLUSTER_CA_FILE or the credential cluster-ca"),
            (["TODOD_CLUSTER_CERTIFICATE_FILE": open], "set TODOD_CLUSTER_KEY_FILE"),
            (["TODOD_CLUSTER_PASSWORD_FILE": open], "the user is not: set TODOD_CLUSTER_USER."),
        ]
        for (settings, words) in mistakes {
            let checked = try Command.run(
                [Products.todod, "--check-config", "--data", secrets.path + "/data"],
                environment: settings.merging(["TODOD_CLUSTER": address, "HOME": secrets.path]) { $1 })
            #expect(checked.end == .exit(78) && checked.error.contains(words), "\(checked)")
        }
        let right = try Command.run(
            [Products.todod, "--check-config", "--data", secrets.path + "/data"],
            environment: ["TODOD_CLUSTER": address, "TODOD_CLUSTER_NODE": "a", "HOME": secrets.path])
        #expect(right.end == .exit(0), "\(right)")
    }

    @Test func `a machine name that is taken, or an invalid host name, is refused with the setting to change`() throws {
        let team = try Team(members: 1, daemons: 1)
        let directory = TemporaryDirectory()
        var settings = team.daemons[0].environment.filter { $0.key.hasPrefix("TODOD_CLUSTER") }
        settings["HOME"] = directory.path
        let start = [Products.todod, "--data", directory.path + "/data", "--socket", directory.path + "/socket"]
        let second = try Command.run(start, environment: settings)
        let words = "rename one of them with TODOD_CLUSTER_NODE"
        #expect(second.end == .exit(78) && second.error.contains(words), "\(second)")

        settings["TODOD_CLUSTER_NODE"] = nil
        let renamed = "import os, socket, sys; socket.sethostname('a b'); os.execv(sys.argv[1], sys.argv[1:])"
        let nameless = try Command.run(
            ["/usr/bin/env", "unshare", "--map-root-user", "--uts", "python3", "-c", renamed] + start, environment: settings)
        #expect(nameless.end == .exit(78) && nameless.error.contains("“a b” is not a valid machine name"), "\(nameless)")
        #expect(nameless.error.contains("set TODOD_CLUSTER_NODE."), "\(nameless)")
    }

    @Test func `detaching a directory without a log fails and creates none`() throws {
        let directory = TemporaryDirectory()
        let nowhere = directory.path + "/nowhere"
        let detached = try Command.run([Products.todod, "--detach", "--data", nowhere], environment: ["HOME": directory.path])
        #expect(detached.end == .exit(78) && detached.error.contains("There is no log in \(nowhere)."), "\(detached)")
        #expect(!FileManager.default.fileExists(atPath: nowhere))
    }

    private func secret(_ text: String, in directory: TemporaryDirectory) throws -> String {
        let file = try directory.write(text + "\n", to: "password")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        return file
    }

    private func wait(for words: String, times: Int = 1, of daemon: Daemon) throws {
        let deadline = Deadline(seconds: 30)
        while daemon.output.components(separatedBy: words).count <= times {
            guard deadline.milliseconds > 0 else { throw Unexpected("no “\(words)” in \(daemon.output)") }
            usleep(50_000)
        }
    }
}
