/// The text of a Swift file without its comments, which may mention anything.
struct SourceText {
    let lines: [String]

    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { Self.withoutComment($0) }
    }

    /// The imported modules in source order.
    var imports: [String] {
        let pattern =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:\w+\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/
        return lines.compactMap { line in line.firstMatch(of: pattern).map { String($0.1) } }
    }

    /// The line numbers, starting at 1, of matches.
    func lineNumbers(of pattern: String) throws -> [Int] {
        // The default word boundaries treat `a.b` as one word.
        let regex = try Regex(pattern).wordBoundaryKind(.simple)
        return lines.indices.filter { lines[$0].contains(regex) }.map { $0 + 1 }
    }

    /// Removes a `//` comment, but not `//` in a string; the linter refuses block comments.
    private static func withoutComment(_ line: Substring) -> String {
        guard line.utf8.contains(UInt8(ascii: "/")) else { return String(line) }
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
