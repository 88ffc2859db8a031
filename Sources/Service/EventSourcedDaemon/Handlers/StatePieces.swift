import Reducing
import StoreRuntime
import TodoAPI

/// A state, or some of it, in pieces small enough to send.
protocol StatePieces: Sendable {
    /// Whether pieces are left; there is at least one.
    var hasMore: Bool { get }
    /// How many elements the list has of which some are wanted; `nil` when all of the state is.
    var count: Int? { get }

    /// Makes the next piece.
    mutating func next(_ queries: isolated Queries) async throws(StoreError) -> Value
}

extension StatePieces {
    /// What is left, as one value; whether one answer holds it is known when that is written.
    ///
    /// - Throws: `answerTooLarge` when it is far larger.
    func merged(_ queries: isolated Queries) async throws(StoreError) -> Value {
        var rest = self
        var whole = try await rest.next(queries)
        var bytes = whole.approximateBytes
        while rest.hasMore {
            let piece = try await rest.next(queries)
            bytes += piece.approximateBytes
            guard bytes <= 2 * AnswerLimits.bytesMax else { throw .answerTooLarge }
            whole.merge(piece)
            try await queries.yieldIfNeeded()
        }
        return whole
    }
}

extension StatePages: StatePieces {
    var count: Int? { nil }

    mutating func next(_ queries: isolated Queries) async throws(StoreError) -> Value {
        next(elementsMax: Limits.statePageElementsMax) ?? .record([])
    }
}

extension Value {
    /// Takes in the elements of a further page: lists grow, records are merged by name.
    fileprivate mutating func merge(_ page: Value) {
        switch (self, page) {
        case (.list(var elements), .list(let more)):
            self = .null
            elements += more
            self = .list(elements)
        case (.record(var fields), .record(let more)):
            self = .null
            for field in more {
                if let index = fields.firstIndex(where: { $0.name.hasSameBytes(as: field.name) }) {
                    fields[index].value.merge(field.value)
                }
            }
            self = .record(fields)
        default: break
        }
    }
}
