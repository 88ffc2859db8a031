import Records
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func steps(_ input: StepsMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard reply.more else { throw .expectedMore }
        let start = history.steps(of: input.any == true ? nil : peer.uid, limit: Int(clamping: input.limit ?? .max))
        answer(reply) { [history] stream in
            var cursor = start
            while cursor.hasMore {
                let found = try await history.page(of: &cursor).map { StepEntryMessage($0) }
                if !cursor.hasMore { return stream.end(StepsMethod.Output(steps: found)) }
                try await stream.send(StepsMethod.Output(steps: found, reached: found.isEmpty ? cursor.reached : nil))
            }
            stream.end(StepsMethod.Output(steps: []))
        }
    }
}

extension StepEntryMessage {
    fileprivate init(_ step: StepSummary) {
        let (stage, by): (String, UInt64?) =
            switch step.stage {
            case .standing: ("standing", nil)
            case .undone(let by): ("undone", by)
            case .redone(let by): ("redone", by)
            }
        let ends = step.ends.sorted { $0.key.rawValue < $1.key.rawValue }
        self.init(
            step: step.step, last: step.last, records: step.records, origin: step.origin, time: step.time,
            actions: step.actions, stage: stage, by: by,
            ends: ends.map { StepEndsMessage(outcome: $0.key.name, count: UInt64($0.value)) },
            open: step.open == 0 ? nil : UInt64(step.open), merges: step.merges?.through, fork: step.merges?.epoch,
            request: step.isRequest ? true : nil)
    }
}
