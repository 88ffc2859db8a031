import ChronicleStore

struct ImportVerdict: Sendable, Equatable {
    enum Word: String, Sendable {
        case fine
        case risky
        case impossible
    }

    var word = Word.fine
    var reasons: [String] = []
    /// The new records, by sequence; an empty range if there are no new ones.
    var first: UInt64 = 1
    var last: UInt64 = 0
    /// The record of the base with which an empty log begins.
    var base: UInt64?
    /// Whether no log could import it, not only this one.
    var isDamaged = false

    static func impossible(_ failure: ImportFailure) -> ImportVerdict {
        ImportVerdict(word: .impossible, reasons: [failure.sentence], isDamaged: failure.isDamage)
    }

    mutating func warn(_ reason: String) {
        word = .risky
        reasons.append(reason)
    }
}

struct ImportFailure: Error, Equatable {
    var sentence: String
    /// Whether the file is damaged; otherwise, the sentence says which file or log would do.
    var isDamage = true

    init(_ sentence: String) { self.sentence = sentence }
}

/// Why reading an import ends early: because of the file, or of the store.
enum ImportStop: Error {
    case failure(ImportFailure)
    case store(StoreError)

    static func reading<Value>(_ body: () throws(ImportFailure) -> Value) throws(ImportStop) -> Value {
        do throws(ImportFailure) { return try body() } catch { throw .failure(error) }
    }

    static func impossible(_ sentence: String) -> ImportStop { .failure(ImportFailure(sentence)) }

    /// A file that another log could import.
    static func unfit(_ sentence: String) -> ImportStop {
        var failure = ImportFailure(sentence)
        failure.isDamage = false
        return .failure(failure)
    }
}
