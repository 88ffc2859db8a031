import ChronicleLog
import DiskLog
import LinuxService

#if Cluster
    import ReplicatedLog
#endif

struct Detaching {
    let program: Program
    let configuration: Configuration
    let environment: [String: String]

    /// Detaches the copy; the other machines continue, and the administrator decides which side runs the commands.
    func run() async throws(StartFailure) {
        let directory = configuration.dataDirectory
        let cluster = try SharedLogOptions(program, configuration, environment)
        do throws(ActionLogError) {
            let place = try LMDBActionLog.detach(directory: directory, mapBytes: configuration[Setting.mapBytes])
            if let cluster {
                await leave(place, cluster)
            } else {
                tellKept(because: "\(program.name(of: Setting.cluster)) is not set here")
            }
            DaemonServices.print(
                "The log in \(directory) is no longer a copy of \(place.name). Its next start begins a new epoch, with all commands "
                    + "held; remove \(program.name(of: Setting.cluster)) first, unless the log should found the shared log again."
            )
        } catch {
            throw StartFailure(error, directory: directory, of: program)
        }
    }

    /// Removes this machine's report, so that the cluster stops keeping batches for it at once instead of after days.
    private func leave(_ place: ReplicaPlace, _ cluster: SharedLogOptions) async {
        do throws(ActionLogError) { try await SharedLog.forget(place, cluster) } catch {
            tellKept(because: "\(error)")
        }
    }

    private func tellKept(because reason: String) {
        let days = configuration[Setting.clusterAwayDays]
        DaemonServices.print("The members were not notified, and keep what this machine lacked for \(days) days: \(reason).")
    }
}
