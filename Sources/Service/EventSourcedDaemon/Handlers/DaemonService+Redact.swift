import Records
import StoreRuntime
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func redact(_ input: RedactMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard facts.mode != .inspect else { throw .readOnly }
        guard input.sequence > 0 else { throw .invalidParameter("sequence") }
        answer(reply) { [store, history, files] stream in
            // This takes as long as the log is long, and what comes meanwhile is still to be folded.
            guard let texts = try await history.texts(goneFrom: input.sequence, App.redacted) else {
                throw APIError.nothingToRedact(sequence: input.sequence)
            }
            let copies = try await history.records(holding: texts).filter { $0 != input.sequence }
            for _ in 0..<HistoryLimits.undoAttemptsMax {
                guard let redaction = try await history.redaction(of: input.sequence, App.redacted) else {
                    throw APIError.nothingToRedact(sequence: input.sequence)
                }
                if input.dryRun != true {
                    do throws(StoreError) { try await store.redact(redaction) } catch {
                        guard error == .overtaken else { throw error }
                        continue
                    }
                    history.forget()
                }
                return stream.end(
                    RedactMethod.Output(
                        epoch: store.present.epoch, sequence: input.sequence, copies: copies,
                        archive: files.log.base?.archive, action: redaction.action.value,
                        base: files.log.base?.sequence))
            }
            throw StoreError.busy
        }
    }
}
