import Varlink

/// Which todos a person means, as far as it can be judged here: by words, tags, and ids that the daemon found.
struct LocalFilter: Equatable {
    /// What one word means.
    enum Term: Equatable {
        /// Stands in title or note, folded.
        case word([UInt8])
        /// Is a tag, or leads to one; folded, behind a zero.
        case tag([UInt8])
        /// As above, of which there is none.
        case noTag([UInt8])
        /// A number: the id of a todo, or a part of its text.
        case number(Int64, [UInt8])
    }

    var terms: [Term] = []
    /// Those that the daemon found; `nil`: it is not asked.
    var found: Set<Int64>?

    init(found: Set<Int64>) { self.found = found }

    /// Reads words that mean nothing but that; `nil`: the daemon has to be asked.
    init?(_ text: String) {
        for word in text.split(whereSeparator: \.isWhitespace) {
            if let tag = Tags.named(by: word) {
                guard !tag.contains(where: { ",\"()".contains($0) }) else { return nil }
                terms.append(.tag(FoldedText.fold("\0" + tag)))
            } else if word.first == "-", word.dropFirst().first?.isLetter == true, !word.contains(",") {
                terms.append(.noTag(FoldedText.fold("\0" + word.dropFirst())))
            } else if let number = Int64(word) {
                terms.append(.number(number, FoldedText.fold(String(word))))
            } else {
                // Words of the language of filters, and signs of it.
                guard !["or", "and", "not"].contains(word.lowercased()), !word.contains(where: { "()\"<>=:@".contains($0) })
                else {
                    return nil
                }
                terms.append(.word(FoldedText.fold(String(word))))
            }
        }
    }

    /// Whether a todo is meant.
    func matches(_ id: Int64, _ text: FoldedText) -> Bool {
        if let found { return found.contains(id) }
        return terms.allSatisfy { term in
            switch term {
            case .word(let word): text.contains(word)
            case .tag(let tag): text.hasTag(tag)
            case .noTag(let tag): !text.hasTag(tag)
            case .number(let wanted, let word): id == wanted || text.contains(word)
            }
        }
    }

    /// Whether all it means is among what another one means, so that only that need be looked at.
    func isNarrower(than other: LocalFilter) -> Bool {
        guard found == nil, other.found == nil, terms.count >= other.terms.count else { return false }
        return zip(other.terms, terms).allSatisfy { before, now in
            switch (before, now) {
            case (.word(let before), .word(let now)): now.starts(with: before)
            default: before == now
            }
        }
    }
}
