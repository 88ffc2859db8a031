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
    /// The last of the records whose outcome an empty log begins with.
    var base: UInt64?
    /// Whether no log could take it over, and not only this one.
    var isDamaged = false

    static func impossible(_ failure: ImportFailure) -> ImportVerdict {
        ImportVerdict(word: .impossible, reasons: [failure.sentence], isDamaged: failure.isDamage)
    }

    mutating func warn(_ reason: String) {
        word = .risky
        reasons.append(reason)
    }
}

/// Why a file can't be imported, as a sentence.
struct ImportFailure: Error, Equatable {
    var sentence: String
    /// Whether it is the file that is at fault; else the sentence says how another one, or another log, would do.
    var isDamage = true

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

    /// A file that another log could take over.
    static func unfit(_ sentence: String) -> ImportStop {
        var failure = ImportFailure(sentence)
        failure.isDamage = false
        return .failure(failure)
    }
}
