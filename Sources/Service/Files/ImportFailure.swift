/// Why a file can't be imported, as a sentence.
struct ImportFailure: Error, Equatable {
    var sentence: String

    init(_ sentence: String) { self.sentence = sentence }
}
