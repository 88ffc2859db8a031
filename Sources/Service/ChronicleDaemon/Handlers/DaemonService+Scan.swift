import ChronicleStore
import Expressions
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func scan(_ input: ScanMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        try input.checkParameters()
        let (from, to) = (try input.from?.moment("from"), try input.to?.moment("to"))
        // Without an end, it is the last published record, as in Log.
        let last = to ?? .sequence(store.present.sequence)
        switch input.question {
        case .first:
            let condition = try Expression(sent: input.expression ?? "", of: App.shape, on: .state)
            let method: Bisection.Method? = input.method.map { $0 == .linear ? .linear : .halving }
            scan(reply) { [history] progress in
                ScanMethod.Output(
                    try await history.bisect(
                        where: condition, good: from ?? .start, bad: to ?? .now, by: method, progress: progress))
            }
        case .violations:
            let condition = try Expression(sent: input.expression ?? "", of: App.shape, on: .state)
            scan(reply) { [history] progress in
                ScanMethod.Output(
                    try await history.check(
                        where: condition, from: from ?? .start, to: to ?? .now, input.all == true ? .all : .first,
                        progress: progress))
            }
        case .values:
            guard reply.more else { throw .expectedMore }
            let number = try Expression(number: input.expression ?? "", of: App.shape)
            values(SeriesQuery(number, every: try input.pace, from: from, to: last), reply)
        case .activity:
            guard let buckets = input.buckets, 1...ScanMethod.bucketsMax ~= buckets else { throw .invalidParameter("buckets") }
            let epoch = store.present.epoch
            scan(reply) { [history] _ in
                let activity = try await history.activity(from: from, to: last, stretches: Int(buckets))
                return ScanMethod.Output(epoch: epoch, begin: activity.from, end: activity.to, sequences: activity.sequences)
            }
        }
    }

    private func scan(
        _ reply: ReplyHandle, _ work: @escaping @Sendable (@escaping @Sendable (UInt64) -> Void) async throws -> ScanMethod.Output
    ) {
        answer(reply) { stream in
            stream.end(
                try await reply.reporting(on: stream) {
                    ScanMethod.Output(reached: $0)
                } _: {
                    try await work($0)
                })
        }
    }

    private func values(_ query: SeriesQuery, _ reply: ReplyHandle) {
        answer(reply) { [history] stream in
            let pace = ReportPace()
            var cursor = try await history.series(query)
            while cursor.hasMore {
                let points = try await history.page(of: &cursor).map { point in
                    ScanPointMessage(sequence: point.sequence, time: point.time, value: point.value)
                }
                if !points.isEmpty {
                    try await stream.send(ScanMethod.Output(points: points))
                } else if let reached = cursor.reached, pace.isDue() {
                    try await stream.send(ScanMethod.Output(reached: reached))
                }
            }
            stream.end(ScanMethod.Output())
        }
    }
}

extension ScanMethod.Input {
    private static let offsetsMax = 1_024
    private static let offsetSecondsMax: Int64 = 100_000

    fileprivate func checkParameters() throws(APIError) {
        try APIError.refuse([
            ("expression", expression != nil, question != .activity), ("method", method != nil, question == .first),
            ("all", all != nil, question == .violations), ("every", every != nil, question == .values),
            ("count", count != nil, every == .records), ("offsets", offsets != nil, every == .day || every == .hour),
            ("buckets", buckets != nil, question == .activity),
        ])
        if question != .activity, expression == nil { throw .invalidParameter("expression") }
    }

    fileprivate var pace: SeriesQuery.Pace {
        get throws(APIError) {
            switch every {
            case .day: return .time(try clock, .day)
            case .hour: return .time(try clock, .hour)
            case .step: return .steps
            case .records:
                guard count != 0 else { throw .invalidParameter("count") }
                return .records(count ?? 1)
            case nil: throw .invalidParameter("every")
            }
        }
    }

    private var clock: LocalClock {
        get throws(APIError) {
            let offsets = offsets ?? []
            guard offsets.count <= Self.offsetsMax, offsets.allSatisfy({ abs($0.seconds) <= Self.offsetSecondsMax }),
                zip(offsets, offsets.dropFirst()).allSatisfy({ $0.from < $1.from })
            else { throw .invalidParameter("offsets") }
            return LocalClock(offsets.map { LocalClock.Offset(from: $0.from, microseconds: $0.seconds * 1_000_000) })
        }
    }
}

extension ScanMethod.Output {
    fileprivate init(_ bisection: Bisection) {
        self.init(
            reached: bisection.looks.last?.sequence ?? bisection.range.upperBound, from: bisection.range.lowerBound,
            to: bisection.range.upperBound, flips: UInt64(bisection.flips),
            points: bisection.looks.map { ScanPointMessage(sequence: $0.sequence, holds: $0.holds) },
            method: bisection.method == .linear ? .linear : .halving)
        switch bisection.outcome {
        case .heldAtStart: outcome = "heldAtStart"
        case .neverHeld: outcome = "neverHeld"
        case .found(let sequence):
            outcome = "found"
            self.sequence = sequence
            changes = bisection.changes?.fitting()
            if changes == nil { cut = true }
        }
    }

    fileprivate init(_ violations: Violations) {
        self.init(
            reached: violations.range.upperBound, from: violations.range.lowerBound, to: violations.range.upperBound,
            violations: violations.ranges.map { SpanMessage(from: $0.lowerBound, to: $0.upperBound) }, cut: violations.isCut)
    }
}
