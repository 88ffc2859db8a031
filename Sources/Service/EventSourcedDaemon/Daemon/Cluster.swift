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

extension SharedLogOptions {
    /// The log that several machines share, as it is configured; `nil`: the log is this machine's alone.
    init?(_ configuration: Configuration, _ environment: [String: String]) throws(StartFailure) {
        guard let address = configuration[Setting.cluster] else { return nil }
        let (certificate, key) = (configuration[Setting.clusterCertificate], configuration[Setting.clusterKey])
        let authorities = configuration[Setting.clusterAuthorities]
        let certificates = EtcdOptions.Certificates(
            authorities: authorities.isEmpty ? nil : authorities,
            own: certificate.isEmpty || key.isEmpty ? nil : (certificate, key))
        let user = configuration[Setting.clusterUser]
        let password = user.isEmpty ? "" : try Self.password(configuration[Setting.clusterPassword], environment)
        let node = configuration[Setting.clusterNode]
        self.init(
            name: address.name, node: node.isEmpty ? Self.hostName : node,
            etcd: EtcdOptions(
                endpoints: address.endpoints, isEncrypted: address.isEncrypted, certificates: certificates,
                user: user.isEmpty ? nil : EtcdOptions.User(name: user, password: password)))
    }

    /// The file that is configured, else the credential that systemd handed over.
    private static func password(_ path: String, _ environment: [String: String]) throws(StartFailure) -> String {
        let credential = environment["CREDENTIALS_DIRECTORY"].map { "\($0)/cluster-password" }
        guard let file = path.isEmpty ? credential : path, let line = SmallFile.line(file), !line.isEmpty else {
            throw StartFailure(.configuration, "The password of the cluster's user can't be read; name a file with it.")
        }
        return line
    }

    private static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "node" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension DaemonPart {
    /// Has the store told what other machines append.
    static func following<App: DaemonApp>(_ log: ReplicatedActionLog, into store: Store<App>) -> DaemonPart {
        DaemonPart(name: "The following of the cluster") {
            await cancelWhenGracefulShutdown { await log.run { store.followOthers() } }
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
