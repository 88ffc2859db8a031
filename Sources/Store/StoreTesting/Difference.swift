import CustomDump

/// Says what differs between two values in a way that a person can read.
enum Difference {
    /// A diff from `expected` (-) to `actual` (+).
    ///
    /// Values that differ may print alike; then both are said to, because an empty diff would look like a success.
    static func text<Subject>(expected: Subject, actual: Subject) -> String {
        guard let difference = diff(expected, actual) else {
            return "Both print alike, yet they are not equal:\n\n" + indented(dump(actual))
        }
        return indented(difference) + "\n\n(- expected, + actual)"
    }

    static func dump<Subject>(_ value: Subject) -> String {
        String(customDumping: value)
    }

    /// One value a paragraph.
    static func list<Subject>(_ values: [Subject]) -> String {
        values.map { indented(dump($0)) }.joined(separator: "\n")
    }

    static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { "    " + $0 }.joined(separator: "\n")
    }
}
