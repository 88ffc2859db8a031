/// The text of a Swift file, without its comments: what a comment says is never an offence.
struct SourceText {
    /// One entry a line, in order, comments removed.
    let lines: [String]

    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { Self.withoutComment($0) }
    }

    /// The modules that are imported, in order.
    var imports: [String] {
        let pattern =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:\w+\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/
        return lines.compactMap { line in line.firstMatch(of: pattern).map { String($0.1) } }
    }

    /// The numbers of the lines, from 1, that contain a match.
    func lineNumbers(of pattern: String) throws -> [Int] {
        // Else a word would go on across a full stop.
        let regex = try Regex(pattern).wordBoundaryKind(.simple)
        return lines.indices.filter { lines[$0].contains(regex) }.map { $0 + 1 }
    }

    /// Cuts at `//` unless it stands in a string, as in an address; block comments are refused by the linter.
    private static func withoutComment(_ line: Substring) -> String {
        var inString = false
        var previous: Character = " "
        for index in line.indices {
            let character = line[index]
            if character == "\"", previous != "\\" { inString.toggle() }
            if character == "/", previous == "/", !inString {
                return String(line[..<line.index(before: index)])
            }
            previous = character
        }
        return String(line)
    }
}
