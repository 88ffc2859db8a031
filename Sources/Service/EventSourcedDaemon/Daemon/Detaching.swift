import DiskLog
import LinuxService
import Records

/// Makes a copy of a log that several machines share a log of this machine's own.
struct Detaching {
    private let program: Program
    private let configuration: Configuration

    init(_ program: Program, _ configuration: Configuration) {
        self.program = program
        self.configuration = configuration
    }

    /// Does it; the others go on without this machine, and who has the commands done is for a person to say.
    func run() throws(StartFailure) {
        let directory = configuration.dataDirectory
        do throws(ActionLogError) {
            let log = try LMDBActionLog.open(
                directory: directory,
                configuration: LogConfiguration(mapBytes: configuration[Setting.mapBytes], isReplica: true))
            guard let place = log.place else {
                throw ActionLogError.contradiction(what: "the log in \(directory) is this machine's own")
            }
            try log.become(nil, storeID: log.head.storeID, epoch: log.head.epoch)
            DaemonServices.print(
                "The log in \(directory) is no copy of \(place.name) any more, and ends with record \(log.head.sequence). "
                    + "Its next start begins a new epoch, with all commands held.")
        } catch {
            throw StartFailure(error, directory: directory, of: program)
        }
    }
}
