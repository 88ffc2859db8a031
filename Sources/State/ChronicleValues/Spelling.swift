/// Suggests known names for a misspelled one.
public enum Spelling {
    public static let namesMax = 3
    /// Maximum size of a misspelled word in UTF-8 bytes.
    ///
    /// It exceeds all known names, and bounds the quadratic time of comparing combining marks.
    public static let wordBytesMax = 64
    private static let shortMax = 4

    /// Returns the names most similar to a word, best first: those that contain it or have an edit distance of at most a third of it.
    ///
    /// A short word is similar to many names, so a name at distance two or more must share its first letter.
    public static func nearest(to word: String, in names: [String]) -> [String] {
        guard word.utf8.count <= wordBytesMax else { return [] }
        let wanted = Array(word.lowercased())
        let judged = names.compactMap { name -> (name: String, steps: Int)? in
            let letters = name.lowercased()
            let steps = distance(wanted, Array(letters))
            let isShort = wanted.count <= shortMax
            let stepsMax = isShort && letters.first != wanted.first ? 1 : max(2, wanted.count / 3)
            // A name without a common letter is not a misspelling.
            if steps <= stepsMax, steps < wanted.count { return (name, steps) }
            // A name that contains the word is also similar. Two letters occur in too many names, and three only count as a prefix.
            let text = String(wanted)
            let isPart = wanted.count > 3 ? letters.contains(text) : wanted.count == 3 && letters.hasPrefix(text)
            return isPart ? (name, steps) : nil
        }
        return judged.sorted { ($0.steps, $0.name) < ($1.steps, $1.name) }.prefix(namesMax).map(\.name)
    }

    /// Returns the end of an error sentence: a question with the suggestions, or a list of all names.
    ///
    /// `did you mean todos.add?`, or `there are todos, counter.`
    public static func proposal(for word: String, among names: [String]) -> String {
        question(about: word, among: names) ?? "there are \(names.joined(separator: ", "))."
    }

    /// Returns the question `did you mean todos.add or todos.edit?`; nil if no name is similar.
    /// - Parameter mark: a prefix that is shown before each name, such as `--`.
    public static func question(about word: String, among names: [String], behind mark: String = "") -> String? {
        let near = nearest(to: word, in: names).map { mark + $0 }
        guard let last = near.last else { return nil }
        let others = near.dropLast().joined(separator: ", ")
        return "did you mean \(others.isEmpty ? last : "\(others) or \(last)")?"
    }

    /// Returns the edit distance with insertions, deletions, substitutions and transpositions of adjacent letters.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var (earlier, row) = ([Int](), Array(0...right.count))
        for (index, letter) in left.enumerated() {
            var next = [index + 1]
            for (column, other) in right.enumerated() {
                var steps = min(row[column + 1] + 1, next[column] + 1, row[column] + (letter == other ? 0 : 1))
                if index > 0, column > 0, letter == right[column - 1], other == left[index - 1] {
                    steps = min(steps, earlier[column - 1] + 1)
                }
                next.append(steps)
            }
            (earlier, row) = (row, next)
        }
        return row[right.count]
    }
}
