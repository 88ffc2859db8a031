import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions
import TimeTravel
import TodoAPI
import Varlink
import VarlinkNIO

extension TodoAPI.Point {
    /// Converts it to a point of the history.
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

    func check(_ field: String) throws(APIError) { _ = try moment(field) }
}

extension History {
    var range: ClosedRange<UInt64> {
        let base = base.sequence
        return base...max(base, head)
    }
}

extension DaemonService {
    /// Answers from a task, whose queries belong to the caller, and converts its errors to errors of the call.
    func answer(_ reply: ReplyHandle, _ body: @escaping @Sendable (ReplyStream) async throws -> Void) {
        reply.stream { [history, files, names] stream in
            do {
                try await QueryThread.$asker.withValue(reply.peer.uid) { try await body(stream) }
            } catch let error as APIError {
                throw names.error(error)
            } catch let error as StoreError {
                throw names.error(APIError(error, in: history.range, after: files.log.base))
            } catch let error as ActionLogError {
                throw names.error(APIError(StoreError(error), in: history.range, after: files.log.base))
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
    /// - Throws: `pruned` for a compacted record, also for the last one, whose state is the base.
    func first(of point: TodoAPI.Point?) async throws -> UInt64? {
        guard let moment = try point?.moment("from") else { return nil }
        let base = history.base.sequence
        if case .sequence(let sequence) = moment, sequence == base, base > 0 { throw StoreError.pruned(base: base) }
        // The next record can be requested before it exists.
        if case .sequence(let sequence) = moment, sequence == history.head + 1 { return sequence }
        return try await history.first(of: moment)
    }

    /// The records between two points, inclusive; empty for the next record, which a complete copy requests.
    func range(from: TimeTravel.Point?, to: TimeTravel.Point?) async throws -> Range<UInt64> {
        if case .sequence(let next) = from, to == nil, next == history.head + 1 { return next..<next }
        return try await history.range(from: from, to: to)
    }
}

extension Path {
    /// Parses a path from a client.
    /// - Throws: `badExpression`, also for a path that no state has, so that a typo is not taken for a missing value.
    init(sent text: String, of shape: Shape) throws(APIError) {
        do {
            self = try Path(text, of: shape)
        } catch {
            throw .badExpression(message: error.message, column: error.column)
        }
    }
}

extension Expression {
    /// Parses a client's condition on values of a shape; throws `badExpression`, also for fields that the shape lacks.
    init(sent text: String, of shape: Shape, on subject: Subject) throws(APIError) {
        self = try Self.sent { () throws(ExpressionError) in try Expression(text, of: shape, on: subject) }
    }

    /// Parses a client's numeric expression on states of a shape; throws `badExpression`, also for other results.
    init(number text: String, of shape: Shape) throws(APIError) {
        self = try Self.sent { () throws(ExpressionError) in try Expression(number: text, of: shape, on: .state) }
    }

    private static func sent(_ read: () throws(ExpressionError) -> Expression) throws(APIError) -> Expression {
        do { return try read() } catch {
            throw .badExpression(message: error.message, column: error.column)
        }
    }
}
