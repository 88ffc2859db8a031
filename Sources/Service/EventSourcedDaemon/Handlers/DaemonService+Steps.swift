import Expressions
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

extension DaemonService {
    func culprit(_ input: CulpritMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        let expression = try Expression(sent: input.expression, of: App.shape, on: .state)
        let from = try input.from?.moment("from")
        answer(reply) { [history] stream in
            let culprit = try await reply.reporting(on: stream) {
                CulpritMethod.Output(tried: $0)
            } _: { progress in
                try await history.culprit(where: expression, from: from, progress: progress)
            }
            try stream.endWhole(CulpritMethod.Output(culprit))
        }
    }
}

extension CulpritMethod.Output {
    fileprivate init(_ culprit: Culprit) {
        self.init(tried: UInt64(culprit.tries), candidates: UInt64(culprit.candidates))
        switch culprit.outcome {
        case .doesNotHold: outcome = "doesNotHold"
        case .notAmongThese:
            outcome = "notAmongThese"
            cut = culprit.isCut ? true : nil
        case .found(let found):
            outcome = "found"
            steps = found.map { StepEntryMessage($0) }
            smallest = culprit.isSmallest
            cut = culprit.isCut ? true : nil
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
