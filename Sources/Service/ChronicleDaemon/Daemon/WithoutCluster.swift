#if !Cluster
    import Chronicle
    import ChronicleLog
    import ChronicleStore
    import LinuxService
    import Logging

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
        func parts<App: DaemonApp, Target: CommandTarget>(
            _ store: Store<App>, by target: Target, after ready: OneShotEvent, logger: Logger
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
