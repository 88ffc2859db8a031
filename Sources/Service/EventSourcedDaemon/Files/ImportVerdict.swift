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
