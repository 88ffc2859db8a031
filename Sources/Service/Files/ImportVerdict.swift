import ActionLogs
import Reducing
import StoreRuntime

/// What an import would mean.
struct ImportVerdict: Sendable, Equatable {
    enum Word: String, Sendable {
        /// It can be taken over as it is.
        case fine
        /// It can be taken over, but for what the reasons say.
        case risky
        /// It can't be taken over.
        case impossible
    }

    var word = Word.fine
    /// As sentences.
    var reasons: [String] = []
    /// The records that the log has not, by sequence; none when there are none.
    var first: UInt64 = 1
    var last: UInt64 = 0

    static func impossible(_ reason: String) -> ImportVerdict { ImportVerdict(word: .impossible, reasons: [reason]) }

    mutating func warn(_ reason: String) {
        word = .risky
        reasons.append(reason)
    }
}

/// Why a file can't be imported, as a sentence.
struct ImportFailure: Error, Equatable {
    var sentence: String

    init(_ sentence: String) { self.sentence = sentence }
}

/// Why reading an import ends early: because of the file, or because of the store.
enum ImportStop: Error {
    case failure(ImportFailure)
    case store(StoreError)

    static func reading<Value>(_ body: () throws(ImportFailure) -> Value) throws(ImportStop) -> Value {
        do throws(ImportFailure) { return try body() } catch { throw .failure(error) }
    }

    static func impossible(_ sentence: String) -> ImportStop { .failure(ImportFailure(sentence)) }
}

/// The records of a dispatch with a key, taken in one by one: what its row must say.
struct KeyedRun {
    private var first: UInt64 = 0
    private var last: UInt64 = 0
    private var time: Int64 = 0
    private var uid: UInt32 = 0
    private var key: String?
    private var ids: [UInt64] = []

    /// Takes in the next record.
    mutating func take<App: Feature>(_ record: LoggedRecord<App>) {
        let header = record.header
        let isSame = header.key.map { uid == header.origin && key?.hasSameBytes(as: $0) == true } ?? false
        if !isSame { (uid, key, first, ids) = (header.origin, header.key, header.sequence, []) }
        (last, time) = (header.sequence, header.time)
        if key != nil, let action = record.action { ids += App.created(by: action) }
    }

    /// Whether a row tells of these records; a dispatch that began before `start` has some that were not taken in.
    func agrees(with row: KeyRow, since start: UInt64) -> Bool {
        guard key != nil, row.last == last, row.time == time else { return false }
        return row.first < start ? first == start : row.first == first && row.ids == ids
    }
}
