import AppFeature
import StoreRuntime
import TimeTravel
import TodoAPI
import VarlinkNIO

extension TodoService {
    func redact(_ input: RedactMethod.Input, _ reply: ReplyHandle) throws(APIError) {
        guard facts.mode != .inspect else { throw .readOnly }
        answer(reply) { [store, timeline] stream in
            guard let redaction = try await timeline.redaction(of: input.sequence, { $0.redacted }) else {
                throw APIError.nothingToRedact(sequence: input.sequence)
            }
            let copies = try await timeline.records(holding: redaction.texts).filter { $0 != input.sequence }
            try await store.redact(redaction)
            timeline.forget()
            stream.end(RedactMethod.Output(epoch: store.present.epoch, sequence: input.sequence, copies: copies))
        }
    }
}
