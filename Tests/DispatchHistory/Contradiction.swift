/// An observation of a client, or a content of the log, that a linearizable log would not have allowed.
public enum Contradiction: Sendable, Equatable {
    /// The log has another record at this position.
    case gap(at: Int64)
    /// A record that no client dispatched.
    case unasked(key: String)
    /// A dispatch that is in the log more than once or only in part.
    case doubled(key: String, [Int64])
    /// An acknowledged dispatch that is not in the log.
    case lost(key: String, [Int64])
    /// An acknowledged dispatch that is elsewhere in the log.
    case moved(key: String, told: [Int64], logged: [Int64])
    /// A dispatch that is in the log although each attempt was refused.
    case refusedAndLogged(key: String)
    /// A dispatch that was answered as a duplicate before any attempt can have logged it.
    case knownBefore(key: String)
    /// A dispatch that was answered before a second one was called, but comes after it in the log.
    case reversed(key: String, sequence: Int64, behind: String, Int64)
    /// A dispatch that does not follow the record that it expected.
    case misplaced(key: String, expected: Int64, sequence: Int64)
    /// A dispatch that was refused as stale although the log had not grown.
    case falselyStale(key: String, expected: Int64, said: Int64)
    /// A read of a state before its minimum or after the end of the log.
    case readElsewhere(SeenRead)
    /// A read that was answered before its state can have existed.
    case readTooSoon(SeenRead)
    /// A read of a value that the log does not produce.
    case readOtherwise(SeenRead, total: Int64)
    /// The result of a command from a machine that was not the one to run commands.
    case strayRunner(LoggedRecord, while: String)
    /// A subscriber that received something else than the log, or only a part of it.
    case toldOtherwise(subscriber: Int, at: Int64)
}

extension Contradiction: CustomStringConvertible {
    public var description: String {
        switch self {
        case .gap(let sequence): "The log has no record \(sequence) at its position."
        case .unasked(let key): "\(key) is in the log without a dispatch."
        case .doubled(let key, let sequences): "\(key) is in the log as \(sequences), which is not its number of records."
        case .lost(let key, let sequences): "\(key) was acknowledged as \(sequences) but is not in the log."
        case .moved(let key, let told, let logged): "\(key) was acknowledged as \(told) but is in the log as \(logged)."
        case .refusedAndLogged(let key): "Every attempt at \(key) was refused but it is in the log."
        case .knownBefore(let key): "\(key) was answered as a duplicate, and no earlier attempt can have logged it."
        case .reversed(let key, let sequence, let other, let place):
            "\(key) was answered before \(other) was called, but is record \(sequence) after \(place)."
        case .misplaced(let key, let expected, let sequence):
            "\(key) expected record \(expected) but is record \(sequence)."
        case .falselyStale(let key, let expected, let said):
            "\(key) expected record \(expected) and was refused for record \(said), which had not been called yet."
        case .readElsewhere(let read): "A read that waited for \(read.minimum) saw the state after \(read.sequence)."
        case .readTooSoon(let read): "A read saw the state after \(read.sequence) before all of its records were called."
        case .readOtherwise(let read, let total):
            "A read saw \(read.total) after \(read.sequence), but the log leads to \(total)."
        case .strayRunner(let record, let node):
            "Record \(record.sequence) is the result of a command that \(record.runner ?? "no machine") ran while \(node) had the lease."
        case .toldOtherwise(let subscriber, let sequence):
            "Subscriber \(subscriber) received something else in place of record \(sequence)."
        }
    }
}
