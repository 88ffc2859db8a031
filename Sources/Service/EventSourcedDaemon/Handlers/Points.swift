import Records
import StoreRuntime
import TimeTravel
import TodoAPI
import Varlink
import VarlinkNIO

extension TodoAPI.Point {
    /// The same moment for the history.
    ///
    /// - Throws: `invalidParameter` with the name of the field unless exactly one of the first four is set.
    func moment(_ field: String) throws(APIError) -> TimeTravel.Point {
        guard let before else { return try whole(field) }
        return .before(try whole(field), before)
    }

    private func whole(_ field: String) throws(APIError) -> TimeTravel.Point {
        switch (sequence, back, time, bookmark?.asName) {
        case (let sequence?, nil, nil, nil): return .sequence(sequence)
        case (nil, let count?, nil, nil): return .back(count)
        case (nil, nil, let time?, nil): return .time(time)
        case (nil, nil, nil, "start"?): return .start
        case (nil, nil, nil, "now"?): return .now
        case (nil, nil, nil, let name?): return .bookmark(name)
        default: throw .invalidParameter(field)
        }
    }

    /// Exactly one of the first four is set.
    func check(_ field: String) throws(APIError) { _ = try moment(field) }
}

extension History {
    /// The first and the last moment that can be asked for.
    var range: ClosedRange<UInt64> {
        let base = base.sequence
        return base...max(base, head)
    }
}

extension DaemonService {
    /// Answers from a task, whose queries are those of the caller, and makes what it throws the error of the call.
    func answer(_ reply: ReplyHandle, _ body: @escaping @Sendable (ReplyStream) async throws -> Void) {
        reply.stream { [history, files] stream in
            do {
                try await QueryThread.$asker.withValue(reply.peer.uid) { try await body(stream) }
            } catch let error as APIError {
                throw CallError(error)
            } catch let error as StoreError {
                throw CallError(APIError(error, in: history.range, after: files.log.base))
            } catch let error as ActionLogError {
                throw CallError(APIError(StoreError(error), in: history.range, after: files.log.base))
            }
        }
    }

    /// Answers a subscription, unless a limit is reached; it lasts until the peer leaves.
    func answerSubscriber(_ reply: ReplyHandle, _ body: @escaping @Sendable (ReplyStream) async throws -> Void) {
        answer(reply) { [facts] stream in
            try await facts.subscribers.hold(for: reply.peer.uid) { try await body(stream) }
        }
    }

    /// The first sequence that a point, as the beginning of a range, includes; `nil` for no point.
    func first(of point: TodoAPI.Point?) async throws -> UInt64? {
        guard let moment = try point?.moment("from") else { return nil }
        // What comes next can be asked for before it is there.
        if case .sequence(let sequence) = moment, sequence == history.head + 1 { return sequence }
        return try await history.first(of: moment)
    }

    /// The records between two points, both included; what comes next, which a copy that is whole asks for, is none yet.
    func range(from: TimeTravel.Point?, to: TimeTravel.Point?) async throws -> Range<UInt64> {
        if case .sequence(let next) = from, to == nil, next == history.head + 1 { return next..<next }
        return try await history.range(from: from, to: to)
    }
}
