import DiskLog
import Records
import StoreRuntime
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func compact(_ input: CompactMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard facts.mode != .inspect else { throw .readOnly }
        let before = try input.before.moment("before")
        guard input.forgetKeysDays ?? 0 <= CompactMethod.forgetKeysDaysMax else { throw .invalidParameter("forgetKeysDays") }
        guard files.shared == nil || input.forgetKeysDays == nil else {
            throw .unreadable(
                message:
                    "Several machines share this log, so no keys are forgotten: one that has them would refuse what the others take."
            )
        }
        guard let log = files.diskLog else {
            throw .unreadable(message: "This daemon keeps nothing on disk, so there is nothing to compact.")
        }
        let compacting = Compacting(
            log: log, shared: files.shared, directory: files.directory, history: history,
            exporting: Exporting(version: facts.version, store: store, log: log, history: history), work: files.work,
            forgetKeysDays: input.forgetKeysDays)
        answer(reply) { stream in
            let outcome =
                input.dryRun == true
                ? try await compacting.dryRun(before: before) : try await compacting.run(before: before)
            stream.end(
                CompactMethod.Output(
                    base: outcome.base, records: outcome.records, archive: outcome.archive,
                    keysForgotten: outcome.keysForgotten == 0 ? nil : outcome.keysForgotten))
        }
    }
}
