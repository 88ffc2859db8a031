/// Finds what somebody may have meant who misspelt a name.
enum Spelling {
    /// How many names are proposed at most.
    static let namesMax = 3

    /// The names that look most like a word, the likest first: those that hold it, or differ from it in a third of its letters at most.
    static func nearest(to word: String, in names: [String]) -> [String] {
        let wanted = Array(word.lowercased().prefix(64))
        guard !wanted.isEmpty else { return [] }
        let judged = names.compactMap { name -> (name: String, steps: Int)? in
            let letters = name.lowercased()
            let steps = distance(wanted, Array(letters))
            if steps <= max(2, wanted.count / 3) { return (name, steps) }
            // A part of a name is nearer than another name of the same length.
            return wanted.count > 2 && letters.contains(String(wanted)) ? (name, steps) : nil
        }
        return judged.sorted { ($0.steps, $0.name) < ($1.steps, $1.name) }.prefix(namesMax).map(\.name)
    }

    /// How many letters must be put in, taken out or replaced to make one word of the other (Levenshtein).
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var row = Array(0...right.count)
        for (index, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (column, other) in right.enumerated() {
                let step = min(row[column] + 1, row[column + 1] + 1, diagonal + (letter == other ? 0 : 1))
                (diagonal, row[column + 1]) = (row[column + 1], step)
            }
        }
        return row[right.count]
    }
}
