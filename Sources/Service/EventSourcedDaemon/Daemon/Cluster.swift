import CommandRunning
import DiskLog
import Etcd
import Glibc
import LinuxService
import Logging
import Records
import Reducing
import ReplicatedLog
import ServiceLifecycle
import StoreRuntime
import TimeTravel

extension SharedLogOptions {
    /// The log that several machines share, as it is configured; `nil`: the log is this machine's alone.
    init?(_ configuration: Configuration, _ environment: [String: String]) throws(StartFailure) {
        guard let address = configuration[Setting.cluster] else { return nil }
        let user = configuration[Setting.clusterUser]
        guard user.isEmpty || address.isEncrypted || address.isWithinHost else {
            throw StartFailure(
                .configuration,
                "The password of the cluster's user would go over the network as it is: write https:// in place of etcd://, and have "
                    + "the members use TLS.")
        }
        let credentials = Credentials(environment)
        let certificate = credentials.path(configuration[Setting.clusterCertificate], "cluster-certificate")
        let key = credentials.path(configuration[Setting.clusterKey], "cluster-key")
        let authorities = credentials.path(configuration[Setting.clusterAuthorities], "cluster-ca")
        var certificates = EtcdOptions.Certificates(authorities: authorities)
        switch (certificate, key) {
        case (let certificate?, let key?): certificates.own = (certificate, key)
        case (nil, nil): break
        case (_?, nil):
            throw StartFailure(.configuration, "This machine's certificate for the cluster is named, and the key of it is not.")
        case (nil, _?):
            throw StartFailure(.configuration, "This machine's key for the cluster is named, and the certificate of it is not.")
        }
        let password =
            user.isEmpty ? "" : try Self.password(credentials.path(configuration[Setting.clusterPassword], "cluster-password"))
        let node = configuration[Setting.clusterNode]
        self.init(
            name: address.name, node: node.isEmpty ? Self.hostName : node,
            etcd: EtcdOptions(
                endpoints: address.endpoints, isEncrypted: address.isEncrypted, certificates: certificates,
                user: user.isEmpty ? nil : EtcdOptions.User(name: user, password: password)),
            trimming: SharedLogTrimming(
                batchesKept: UInt64(configuration[Setting.clusterKeptBatches]),
                awayMax: .seconds(configuration[Setting.clusterAwayDays] * 86_400)))
        if let key { try Self.requireSecret(key) }
    }

    private static func password(_ path: String?) throws(StartFailure) -> String {
        guard let file = path, let line = SmallFile.line(file), !line.isEmpty else {
            throw StartFailure(.configuration, "The password of the cluster's user can't be read; name a file with it.")
        }
        try requireSecret(file)
        return line
    }

    /// Refuses a file that is no secret; its group may read it, since root owns what a service may only read.
    private static func requireSecret(_ path: String) throws(StartFailure) {
        var file = stat()
        guard stat(path, &file) == 0 else { throw StartFailure(.configuration, "\(path) can't be read.") }
        guard file.st_mode & 0o007 == 0 else {
            throw StartFailure(.configuration, "Others can use \(path), which is to be a secret: chmod o= \(path)")
        }
    }

    private static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "node" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The files that systemd hands over to a service.
private struct Credentials {
    private let directory: String?

    init(_ environment: [String: String]) { directory = environment["CREDENTIALS_DIRECTORY"] }

    /// The file that is configured, else the credential of a name if it was handed over.
    func path(_ configured: String, _ name: String) -> String? {
        guard configured.isEmpty else { return configured }
        return directory.map { "\($0)/\(name)" }.flatMap { access($0, R_OK) == 0 ? $0 : nil }
    }
}

extension DaemonPart {
    /// Has the store told what other machines append.
    static func following<App: DaemonApp>(
        _ log: ReplicatedActionLog, into store: Store<App>, _ history: History<App>
    ) -> DaemonPart {
        DaemonPart(name: "The following of the cluster") {
            await cancelWhenGracefulShutdown {
                await log.run { sequence in
                    let head = try? await history.anchoredHead(at: sequence)
                    return head.map { SharedDigest(chain: $0.chain, digest: $0.digest) }
                } onNews: {
                    store.followOthers()
                }
            }
        }
    }

    /// Runs the commands whenever this machine is the one that does, from when the daemon is ready until it stops.
    static func commands<App: DaemonApp, Target: CommandTarget>(
        of store: Store<App>, on log: ReplicatedActionLog, by target: Target, after ready: Gate, logger: Logger
    ) -> DaemonPart where Target.Command == App.Command, Target.Action == App.Action {
        let options = RunnerOptions(crashPoints: store.crashPoints) { logger.note($0) }
        return DaemonPart(name: "The runner of commands") {
            await cancelWhenGracefulShutdown {
                await ready.wait()
                await whileFollowing(store) {
                    await log.leading {
                        do throws(StoreError) {
                            // What the one before began is known first, or it would be begun as if nobody had.
                            try await store.catchUp()
                            logger.info("This machine runs the commands of the cluster")
                            try await CommandRunner(store: store, target: target, options: options).run()
                        } catch {
                            logger.notice("This machine does not run the commands", metadata: ["error": "\(sentence(of: error))"])
                        }
                    }
                }
            }
        }
    }

    /// How often it is looked whether a machine takes in what others write.
    private static let followingPause = Duration.seconds(1)

    /// Has something done while a machine takes in what others write: who can't leaves the commands to one that can.
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
