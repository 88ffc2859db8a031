/// Finds what somebody may have meant who misspelt a name.
public enum Spelling {
    /// How many names are proposed at most.
    public static let namesMax = 3
    /// UTF-8 bytes of a word that may be meant as a name: no name of ours is as long, and marks that combine are compared in a time that
    /// grows with the square of their number.
    public static let wordBytesMax = 64
    // How many letters a short word has at most.
    private static let shortMax = 4

    /// The names that look most like a word, the likest first: those that hold it, or differ from it in a third of its letters at most.
    ///
    /// A short word is near to everything, so of what differs from it in more than one letter only what begins as it does is meant.
    public static func nearest(to word: String, in names: [String]) -> [String] {
        guard word.utf8.count <= wordBytesMax else { return [] }
        let wanted = Array(word.lowercased())
        let judged = names.compactMap { name -> (name: String, steps: Int)? in
            let letters = name.lowercased()
            let steps = distance(wanted, Array(letters))
            let isShort = wanted.count <= shortMax
            let stepsMax = isShort && letters.first != wanted.first ? 1 : max(2, wanted.count / 3)
            // What nothing stays of is no misspelling.
            if steps <= stepsMax, steps < wanted.count { return (name, steps) }
            // A part of a name is nearer than another name of the same length; two letters are part of many, and three of what they begin.
            let text = String(wanted)
            let isPart = wanted.count > 3 ? letters.contains(text) : wanted.count == 3 && letters.hasPrefix(text)
            return isPart ? (name, steps) : nil
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
    ///
    /// - Parameter mark: what stands before each name, and is not part of it: `--`.
    public static func question(about word: String, among names: [String], behind mark: String = "") -> String? {
        let near = nearest(to: word, in: names).map { mark + $0 }
        guard let last = near.last else { return nil }
        let others = near.dropLast().joined(separator: ", ")
        return "did you mean \(others.isEmpty ? last : "\(others) or \(last)")?"
    }

    /// How many letters must be put in, taken out, replaced or swapped with the next to make one word of the other.
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
