import Records
import StoreRuntime
import TimeTravel
import TodoAPI
import Values
import VarlinkNIO

extension DaemonService {
    func mergeFork(_ input: MergeForkMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let outcome = try Self.outcome(input.expectedOutcome)
        answer(reply) { [files, undoer] stream in
            let file = try await files.uploads.line.run { () throws(APIError) in
                try files.uploads.file(input.upload, of: peer.uid)
            }
            let fork = try await files.imports.run { _ in
                try await ForkRecords<App>(file.spool.descriptor, through: input.through ?? .max)
            }
            let undone = try await undoer.merge(
                fork, origin: peer.uid, insists: input.force == true, key: input.key,
                expectedOutcome: outcome, isDryRun: input.dryRun == true)
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
                throw APIError.compactedFork(through: header.first - 1)
            }
            self.init(
                epoch: header.epoch, point: header.first - 1, chain: header.before, now: StoreClock.system.wall(),
                through: through)
            _ = try await file.readRecords(of: header) { record, _, _ in try add(record) }
            guard end.chain == header.checksum else { throw ImportStop.impossible("Records are missing at its end.") }
        } catch ImportStop.failure(let failure) {
            throw StoreError.badFork(failure.sentence)
        } catch ImportStop.store(let error) {
            throw error
        }
    }
}
