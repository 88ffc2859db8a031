import Terminal

struct KeyHelp: Equatable {
    var key: String
    var does: String
    /// The word in the footer; `nil` for keys that only the help shows.
    var short: String?
    /// The footer's word while the past is shown.
    var past: String?
    /// Priority in a narrow footer: lower ranks stay longer, and 0 is always shown.
    var rank: Int

    init(_ key: String, _ does: String, short: String? = nil, past: String? = nil, rank: Int = 2) {
        (self.key, self.does, self.short, self.past, self.rank) = (key, does, short, past, rank)
    }
}

extension KeyHelp {
    /// The key and its effect in two columns.
    func lines(keyColumns: Int, width: Int) -> [[StyledText]] {
        let keys = ScreenModel.wrapped(key, to: keyColumns - 2)
        let words = ScreenModel.wrapped(does, to: max(width - keyColumns - 2, 1))
        return (0..<max(keys.count, words.count)).map { line in
            let key = line < keys.count ? keys[line] : ""
            return [
                StyledText("  " + Width.padded(key, to: keyColumns), .bold), StyledText(line < words.count ? words[line] : ""),
            ]
        }
    }

    /// The keys that fit in a footer of this width, by rank.
    static func line(_ all: [KeyHelp], isPast: Bool, columns: Int) -> [(String, String)] {
        let words = all.compactMap { help in
            (isPast ? help.past : help.short).map { word in
                (rank: help.rank, key: help.key.split(separator: ",").first.map(String.init) ?? help.key, word: word)
            }
        }
        var space = columns
        var shown: Set<Int> = []
        for (index, one) in words.enumerated().sorted(by: { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }) {
            let needed = spans(one.key, one.word).reduce(0) { $0 + Width.columns($1.text) }
            guard needed <= space || one.rank == 0 else { continue }
            space -= needed
            shown.insert(index)
        }
        return words.indices.filter(shown.contains).map { (words[$0].key, words[$0].word) }
    }

    static func spans(_ key: String, _ word: String) -> [StyledText] {
        [StyledText(" " + key, .bold), StyledText(" \(word) ", .dim)]
    }
}
