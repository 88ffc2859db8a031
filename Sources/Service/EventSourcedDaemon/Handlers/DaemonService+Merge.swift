import Records
import StoreRuntime
import TimeTravel
import TodoAPI
import Values
import VarlinkNIO

extension DaemonService {
    func mergeFork(_ input: MergeForkMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        answer(reply) { [files, undoer] stream in
            let file = try await files.uploads.line.run { () throws(APIError) in
                try files.uploads.file(input.upload, of: peer.uid)
            }
            let fork = try await ForkRecords<App>(file.spool.descriptor, through: input.through ?? .max)
            let undone = try await undoer.merge(
                fork, origin: peer.uid, insists: input.force == true, key: input.key, isDryRun: input.dryRun == true)
            stream.end(MergeForkMethod.Output(undone))
        }
    }
}

extension ForkRecords where App: DaemonApp {
    /// Reads an export of a fork, from the record behind the last one that both logs have.
    ///
    /// - Throws: `badFork`.
    fileprivate init(_ descriptor: Int32, through: UInt64) async throws {
        do {
            var file = ExportFile(descriptor: descriptor)
            let header = try Importing<App>.header(&file)
            guard header.baseBytes == nil else {
                throw ImportStop.impossible("It begins with what a compacted log begins with: give what comes behind that.")
            }
            self.init(
                epoch: header.epoch, point: header.first - 1, chain: header.before, now: StoreClock.system.wall(),
                through: through)
            while let json = try Importing<App>.next(&file) {
                let expected = end.sequence + 1
                switch try ImportStop.reading({ () throws(ImportFailure) in try ExportLine(json, expecting: expected) }) {
                case .record(let record, _):
                    try add(record)
                    if end.sequence.isMultiple(of: 1_024) { await Task.yield() }
                case .end(let last, _):
                    guard last == end.sequence, last == header.last, end.chain == header.checksum else {
                        throw ImportStop.impossible("Records are missing at its end.")
                    }
                    return
                }
            }
            throw ImportStop.impossible("It is not whole: its last line is missing.")
        } catch ImportStop.failure(let failure) {
            throw StoreError.badFork(failure.sentence)
        } catch ImportStop.store(let error) {
            throw error
        }
    }
}
