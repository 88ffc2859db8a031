/// Finds what somebody may have meant who misspelt a name.
public enum Spelling {
    /// How many names are proposed at most.
    public static let namesMax = 3

    /// The names that look most like a word, the likest first: those that hold it, or differ from it in a third of its letters at most.
    public static func nearest(to word: String, in names: [String]) -> [String] {
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

    /// The end of a sentence that asks for the name that was meant, or else tells all that there are.
    ///
    /// `did you mean todos.add?`, or `there are todos, counter.`
    public static func proposal(for word: String, among names: [String]) -> String {
        question(about: word, among: names) ?? "there are \(names.joined(separator: ", "))."
    }

    /// The question for the name that was meant, `did you mean todos.add or todos.edit?`; `nil` where none looks like the word.
    public static func question(about word: String, among names: [String]) -> String? {
        let near = nearest(to: word, in: names)
        guard let last = near.last else { return nil }
        let others = near.dropLast().joined(separator: ", ")
        return "did you mean \(others.isEmpty ? last : "\(others) or \(last)")?"
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
