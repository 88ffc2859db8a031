import Terminal

struct TextEntry: Equatable {
    /// Limits typing; longer existing text is kept.
    static let charactersMax = 10_000

    private(set) var characters: [Character] = []
    private(set) var cursor = 0

    /// Existing text is not limited.
    init(_ text: String = "") {
        characters = Array(text)
        cursor = characters.count
    }

    var text: String { String(characters) }
    var line: String { Self.line(characters) }

    private static func line(_ characters: some Sequence<Character>) -> String {
        Visible.text(String(characters.map { $0.isNewline ? "↵" : $0 }))
    }

    var isEmpty: Bool { characters.isEmpty }

    /// Handles an editing key.
    ///
    /// - Parameter breaksLines: whether the text may have several lines.
    /// - Returns: whether the key was handled.
    mutating func press(_ key: ScreenKey, breaksLines: Bool = false) -> Bool {
        switch key {
        case .control("o") where breaksLines: insert(["\n"])
        case .character(let character): insert([character])
        case .paste(let text): insert(text.trimmed.map { $0.isNewline ? breaksLines ? "\n" : " " : $0 == "\t" ? " " : $0 })
        case .backspace: remove(from: cursor - 1, to: cursor)
        case .delete: remove(from: cursor, to: cursor + 1)
        case .arrow(.left, let modifiers): cursor = modifiers.isEmpty ? max(0, cursor - 1) : wordBegin
        case .arrow(.right, let modifiers): cursor = modifiers.isEmpty ? min(characters.count, cursor + 1) : wordEnd
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = characters.count
        case .control("u"): remove(from: 0, to: cursor)
        case .control("k"): remove(from: cursor, to: characters.count)
        case .control("w"): remove(from: wordBegin, to: cursor)
        default: return false
        }
        return true
    }

    private mutating func insert(_ more: [Character]) {
        let more = more.prefix(max(0, Self.charactersMax - characters.count))
        characters.insert(contentsOf: more, at: cursor)
        cursor += more.count
    }

    private mutating func remove(from first: Int, to end: Int) {
        let (first, end) = (max(first, 0), min(end, characters.count))
        guard first < end else { return }
        characters.removeSubrange(first..<end)
        cursor = first
    }

    private var wordBegin: Int {
        var place = cursor
        while place > 0, characters[place - 1].isWhitespace { place -= 1 }
        while place > 0, !characters[place - 1].isWhitespace { place -= 1 }
        return place
    }

    private var wordEnd: Int {
        var place = cursor
        while place < characters.count, characters[place].isWhitespace { place += 1 }
        while place < characters.count, !characters[place].isWhitespace { place += 1 }
        return place
    }

    func shown(in columns: Int) -> (text: String, cursor: Int) {
        guard columns > 0 else { return ("", 0) }
        let widths = characters.map { Width.columns(Self.line([$0])) }
        var first = 0
        var before = widths[..<cursor].reduce(0, +)
        while before > columns - 1, first < cursor {
            before -= widths[first]
            first += 1
        }
        return (Self.line(characters[first...]), max(0, before))
    }
}
