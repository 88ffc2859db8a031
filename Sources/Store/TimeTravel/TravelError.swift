import ActionLogs
public import Reducing
import StoreRuntime

/// Why a question about the past has no answer.
public enum TravelError: Error, Sendable, Equatable {
    /// The moment has not come yet; the head is the last that can be asked for.
    case future(head: UInt64)
    /// The records there were compacted away, or never were; the base is the first moment that can be asked for.
    case pruned(base: UInt64)
    /// There is no bookmark of this name.
    case unknownBookmark(String)
    /// A name that no bookmark may have, and why.
    case badBookmark(String)
    /// The first moment of a range comes after the last.
    case emptyRange(from: UInt64, to: UInt64)
    /// History can't be altered like that: which of the alterations, from 0, and why.
    case alteration(Int, String)
    /// `prepare` refuses the action of an alteration where it stands.
    case refused(alteration: Int, Refusal)
    /// The answer has more parts than one answer may have.
    case tooLarge(max: Int)
    /// An expression takes more steps than one question may have; the first moment in which it was not evaluated.
    case tooManySteps(reached: UInt64)
    /// A record is damaged, or a newer version wrote it; all before it is intact.
    case damaged(sequence: UInt64, what: String)
    /// A record is as it was written, and this version can't read its action.
    case undecodable(sequence: UInt64, what: String)
    /// Too many queries wait already.
    case busy
    /// Whoever asked is gone, or the daemon stops.
    case cancelled
    /// The log was compacted while it was looked through.
    case overtaken
    /// Reading failed.
    case unreadable(String)
}

extension TravelError {
    /// What an error of the log means for whoever asks.
    init(_ error: ActionLogError) {
        self =
            switch error {
            case .damaged(let sequence, let what): .damaged(sequence: sequence, what: what)
            case .undecodable(let sequence, let what): .undecodable(sequence: sequence, what: what)
            case .newerFormat(let sequence, let what): .damaged(sequence: sequence, what: "written by a newer version: " + what)
            case .readersFull: .busy
            case .pruned(let through, _): .pruned(base: through)
            default: .unreadable(error.description)
            }
    }

    /// What an error of the query thread means.
    init(_ error: StoreError) {
        self =
            switch error {
            case .queryBusy: .busy
            case .damaged(let sequence, let what): .damaged(sequence: sequence, what: what)
            case .unreadable(let what): .unreadable(what)
            default: .cancelled
            }
    }

    /// Reads from the log, with its errors as ours.
    static func reading<Value>(_ body: () throws(ActionLogError) -> Value) throws(TravelError) -> Value {
        do { return try body() } catch { throw TravelError(error) }
    }
}

extension TravelError: CustomStringConvertible {
    /// A sentence for a person.
    public var description: String {
        switch self {
        case .future(let head): "that has not happened yet; the log ends at \(head)"
        case .pruned(let base): "the log begins at \(base)"
        case .unknownBookmark(let name): "there is no bookmark \(name)"
        case .badBookmark(let what): what
        case .emptyRange(let from, let to): "the range begins at \(from) and ends before it, at \(to)"
        case .alteration(_, let what): what
        case .refused(_, let refusal): refusal.message
        case .tooLarge(let max): "that is more than \(max) parts; ask for less at once"
        case .tooManySteps(let sequence):
            "the expression takes too many steps and was evaluated as far as record \(sequence); narrow the range, or nest fewer loops"
        case .damaged(let sequence, let what), .undecodable(let sequence, let what):
            "the log is damaged at \(sequence): \(what)"
        case .busy: "too many queries wait already; try again soon"
        case .cancelled: "the query was cancelled"
        case .overtaken: "the log was compacted meanwhile; try again"
        case .unreadable(let what): what
        }
    }
}
