import Chronicle
import ChronicleLog
import ChronicleStore
import LinuxService
import Logging
import TodoAPI

#if Cluster
    import CommandRunning
    import DiskLog
    import Etcd
    import Glibc
    import ReplicatedLog
    import ServiceLifecycle

    typealias SharedLog = ReplicatedActionLog

    extension SharedLog {
        static func of(_ log: any ActionLog) -> SharedLog? { log as? SharedLog }

        var asLog: any ActionLog { self }

        func parts<App: DaemonApp, Target: CommandTarget>(
            _ store: Store<App>, by target: Target, after ready: OneShotEvent<Void>, logger: Logger
        ) -> [DaemonPart] where Target.Command == App.Command, Target.Action == App.Action {
            [
                .following(self, into: store),
                .commands(of: store, on: self, by: target, after: ready, logger: logger),
            ]
        }

        func machinesMessage() async -> MachinesMethod.Output {
            let standing = self.standing
            var output = MachinesMethod.Output()
            (output.name, output.node) = (standing.name, standing.node)
            do throws(EtcdError) {
                let survey = try await self.survey()
                (output.batches, output.sequence, output.first) = (survey.batches, survey.sequence, survey.firstBatch)
                output.nodes = survey.nodes.map { node in
                    ClusterNodeMessage(
                        name: node.name, batches: node.batches, sequence: node.sequence,
                        behind: survey.batches.map { $0 - min($0, node.batches) }, time: node.time,
                        leading: survey.runner == node.name, obstacle: node.obstacle.isEmpty ? nil : node.obstacle)
                }
                // A member has just answered, which is newer than a failed append.
                output.reason = standing.reach.isRefused ? standing.reach.obstacle : nil
            } catch {
                output.reason = words(of: error)
            }
            return output
        }

        func message(obstacle: String?) -> ClusterMessage {
            let standing = self.standing
            return ClusterMessage(
                name: standing.name, node: standing.node, batches: standing.batches, leading: standing.isLeading,
                away: standing.isAway, inDoubt: standing.isInDoubt, full: standing.isFull ? true : nil,
                obstacle: obstacle, reason: standing.reach.obstacle)
        }
    }

    extension SharedLogOptions {
        init?(_ program: Program, _ configuration: Configuration, _ environment: [String: String]) throws(StartFailure) {
            guard let address = configuration[Setting.cluster] else { return nil }
            let user = configuration[Setting.clusterUser]
            guard user.isEmpty || address.isEncrypted || address.isWithinHost else {
                throw StartFailure(
                    .configuration,
                    "The password of the cluster's user would be sent unencrypted: write https:// instead of etcd://, and make "
                        + "the members use TLS.")
            }
            let certificate = configuration.path(Setting.clusterCertificate, environment)
            let key = configuration.path(Setting.clusterKey, environment)
            let authorities = configuration.path(Setting.clusterAuthorities, environment)
            var certificates = EtcdOptions.Certificates(authorities: authorities)
            switch (certificate, key) {
            case (let certificate?, let key?): certificates.own = (certificate, key)
            case (nil, nil): break
            default:
                let (named, missing) = key == nil ? ("certificate", "key") : ("key", "certificate")
                let setting = key == nil ? Setting.clusterKey : Setting.clusterCertificate
                throw StartFailure(
                    .configuration,
                    "This machine's \(named) for the cluster is set, but its \(missing) is not: set "
                        + "\(program.nameOrCredential(of: setting)).")
            }
            let secret = configuration.path(Setting.clusterPassword, environment)
            let node = try Self.node(program, configuration[Setting.clusterNode])
            self.init(
                name: address.name, node: node,
                etcd: EtcdOptions(
                    endpoints: address.endpoints, isEncrypted: address.isEncrypted, certificates: certificates,
                    user: try Self.user(program, user, secret)),
                trimming: SharedLogTrimming(
                    batchesKept: UInt64(configuration[Setting.clusterKeptBatches]),
                    awayMax: .seconds(configuration[Setting.clusterAwayDays] * 86_400)),
                remedies: ErrorHints(program, hasUser: !user.isEmpty, hasCertificate: certificate != nil))
            if let key { try Self.requireSecret(program, key, Setting.clusterKey) }
        }

        func check() throws(StartFailure) {
            do throws(EtcdError) { try etcd.certificates.check() } catch {
                throw StartFailure(
                    .configuration, "\(remedies.words(of: error).capitalizedFirst).")
            }
        }

        private static func user(
            _ program: Program, _ name: String, _ secret: String?
        ) throws(StartFailure) -> EtcdOptions.User? {
            guard !name.isEmpty else {
                guard secret == nil else {
                    throw StartFailure(
                        .configuration,
                        "The password of the cluster's user is set, but the user is not: set \(program.name(of: Setting.clusterUser))."
                    )
                }
                return nil
            }
            guard let secret else {
                throw StartFailure(
                    .configuration,
                    "The cluster's user has no password: set \(program.name(of: Setting.clusterPassword)) to a file with it, or "
                        + "pass the credential \(Setting.clusterPassword.credential), which only the service can have.")
            }
            try requireSecret(program, secret, Setting.clusterPassword)
            guard let line = SmallFile.line(secret) else { throw unreadable(program, secret, Setting.clusterPassword) }
            guard !line.isEmpty else {
                throw StartFailure(
                    .configuration,
                    "The first line of \(secret) must be the password of the cluster's user, but is empty: write it there.")
            }
            return EtcdOptions.User(name: name, password: line)
        }

        private static func unreadable(_ program: Program, _ path: String, _ setting: TypedSetting<String>) -> StartFailure {
            StartFailure(.configuration, "\(path) can't be read: fix \(program.nameOrCredential(of: setting)).")
        }

        /// Rejects a secret file that others may read; its group may, because root owns the files of a service.
        private static func requireSecret(
            _ program: Program, _ path: String, _ setting: TypedSetting<String>
        ) throws(StartFailure) {
            var file = stat()
            guard stat(path, &file) == 0 else { throw unreadable(program, path, setting) }
            guard file.st_mode & 0o007 == 0 else {
                throw StartFailure(.configuration, "Other users can use \(path), which must be secret: chmod o= \(path)")
            }
        }

        private static func node(_ program: Program, _ configured: String) throws(StartFailure) -> String {
            guard configured.isEmpty else { return configured }
            var bytes = [CChar](repeating: 0, count: 256)
            guard gethostname(&bytes, bytes.count - 1) == 0 else { return "node" }
            let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard ClusterAddress.isName(name) else {
                throw StartFailure(
                    .configuration,
                    "The host name “\(name)” is not a valid machine name: set \(program.name(of: Setting.clusterNode)).")
            }
            return name
        }
    }

    extension ErrorHints {
        fileprivate init(_ program: Program, hasUser: Bool, hasCertificate: Bool) {
            self.init()
            let again = "and start again"
            address = "fix \(program.name(of: Setting.cluster)), \(again)"
            authorities = "fix \(program.nameOrCredential(of: Setting.clusterAuthorities)), \(again)"
            certificate =
                "\(hasCertificate ? "fix" : "set") \(program.nameOrCredential(of: Setting.clusterCertificate)), "
                + "and \(program.nameOrCredential(of: Setting.clusterKey)), \(again)"
            user =
                "\(hasUser ? "fix" : "set") \(program.name(of: Setting.clusterUser)), and "
                + "\(program.nameOrCredential(of: Setting.clusterPassword)), \(again)"
                + (hasUser ? "; or the user, with etcdctl user" : "")
            permission =
                "grant the permission to the role of \(program.name(of: Setting.clusterUser)), with etcdctl role grant-permission"
            self.hasUser = hasUser
            node = "rename one of them with \(program.name(of: Setting.clusterNode))"
            alone = "open it without \(program.name(of: Setting.cluster))"
        }
    }

    extension Program {
        fileprivate func nameOrCredential(of setting: TypedSetting<String>) -> String {
            "\(name(of: setting)) or the credential \(setting.credential)"
        }
    }

    extension TypedSetting<String> {
        fileprivate var credential: String {
            row.key.split(separator: "_").filter { $0 != "FILE" }.joined(separator: "-").lowercased()
        }
    }

    extension Configuration {
        fileprivate func path(_ setting: TypedSetting<String>, _ environment: [String: String]) -> String? {
            guard self[setting].isEmpty else { return self[setting] }
            let credential = environment["CREDENTIALS_DIRECTORY"].map { "\($0)/\(setting.credential)" }
            return credential.flatMap { Glibc.access($0, R_OK) == 0 ? $0 : nil }
        }
    }

    extension Logger {
        func tell(of log: SharedLog) {
            let what: Metadata = ["log": "\(log.standing.name)", "machine": "\(log.node)", "records": "\(log.head.sequence)"]
            switch log.beginning {
            case .founded: notice("This machine founded the shared log: none of that name existed", metadata: what)
            case .joined: notice("This machine joined the shared log", metadata: what)
            case .continued: break
            }
            log.listen { [self] in tell(of: $0) }
        }

        fileprivate func tell(of event: SharedLogEvent) {
            switch event {
            case .reach(.answers): notice("The cluster answers again")
            case .reach(.silent(let what)): notice("The cluster no longer answers", metadata: ["error": "\(what)"])
            case .reach(.withoutQuorum):
                notice("The cluster has lost its quorum, as far as this machine can tell: too few members reach each other")
            case .reach(.refused(let what)):
                error("The cluster accepts nothing from this machine", metadata: ["error": "\(what)"])
            case .isFull(true):
                notice("The members of the cluster have no space left: see WHEN THE MEMBERS ARE FULL in todod-cluster(7)")
            case .isFull(false): notice("The members of the cluster have space again")
            }
        }
    }

    extension DaemonPart {
        fileprivate static func following<App: DaemonApp>(
            _ log: ReplicatedActionLog, into store: Store<App>
        ) -> DaemonPart {
            DaemonPart(name: "The cluster follower") {
                await cancelWhenGracefulShutdown {
                    await log.run {
                        store.followingObstacle
                    } onNews: {
                        store.followOthers()
                    }
                }
            }
        }

        fileprivate static func commands<App: DaemonApp, Target: CommandTarget>(
            of store: Store<App>, on log: ReplicatedActionLog, by target: Target, after ready: OneShotEvent<Void>, logger: Logger
        ) -> DaemonPart where Target.Command == App.Command, Target.Action == App.Action {
            let options = RunnerOptions(crashPoints: store.crashPoints) { logger.note($0) }
            return DaemonPart(name: "The command runner") {
                await cancelWhenGracefulShutdown {
                    await ready.wait()
                    await whileFollowing(store) {
                        await log.runWhileLeader {
                            do throws(StoreError) {
                                // Catch up first, so that commands that the previous runner began are known.
                                try await store.catchUp()
                                logger.info("This machine runs the commands of the cluster")
                                try await CommandRunner(store: store, target: target, options: options).run()
                            } catch {
                                logger.notice(
                                    "This machine does not run the commands", metadata: ["error": "\(sentence(of: error))"])
                            }
                        }
                    }
                }
            }
        }

        private static let followingPause = Duration.seconds(1)

        /// Runs the body while this machine follows the others; otherwise another machine takes over the commands.
        private static func whileFollowing<App: DaemonApp>(
            _ store: Store<App>, _ body: @escaping @Sendable () async -> Void
        ) async {
            while !Task.isCancelled {
                if store.followingObstacle == nil {
                    await withTaskGroup(of: Void.self) { group in
                        group.addTask { await body() }
                        group.addTask {
                            while store.followingObstacle == nil, (try? await Task.sleep(for: followingPause)) != nil {}
                        }
                        await group.next()
                        group.cancelAll()
                    }
                }
                try? await Task.sleep(for: followingPause)
            }
        }
    }
#else
    /// Replaces the shared log in a build without the package trait `Cluster`; it has no values.
    struct SharedLog: Sendable {
        private let never: Never

        static func of(_ log: any ActionLog) -> SharedLog? { nil }
        static func open(
            _ copy: any ActionLog, _ options: SharedLogOptions, isAction: ([UInt8]) -> Bool
        ) throws(ActionLogError) -> SharedLog { switch options.never {} }
        static func forget(_ place: ReplicaPlace, _ options: SharedLogOptions) async throws(ActionLogError) {}

        var asLog: any ActionLog { switch never {} }
        var copy: any ActionLog { switch never {} }
        var head: Head { switch never {} }
        func follow() throws(ActionLogError) -> ReplicationEvent? { switch never {} }
        func announceBase(_ sequence: UInt64) throws(ActionLogError) {}
        func withdrawBase() {}
        func checkRedaction(of sequence: UInt64) async throws(ActionLogError) {}
        func machinesMessage() async -> MachinesMethod.Output { switch never {} }
        func message(obstacle: String?) -> ClusterMessage { switch never {} }
        func parts<App: DaemonApp, Target: CommandTarget>(
            _ store: Store<App>, by target: Target, after ready: OneShotEvent<Void>, logger: Logger
        ) -> [DaemonPart] where Target.Command == App.Command, Target.Action == App.Action { switch never {} }
    }

    struct SharedLogOptions: Sendable {
        fileprivate let never: Never

        init?(_ program: Program, _ configuration: Configuration, _ environment: [String: String]) throws(StartFailure) {
            guard configuration[Setting.cluster] == nil else {
                throw StartFailure(
                    .configuration,
                    "\(program.name(of: Setting.cluster)) is set, and this program was built without the package trait Cluster.")
            }
            return nil
        }

        var node: String { switch never {} }
        func check() throws(StartFailure) {}
    }

    extension Logger {
        func tell(of shared: SharedLog) {}
    }
#endif
