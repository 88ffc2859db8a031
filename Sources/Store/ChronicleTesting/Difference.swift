import CustomDump

enum Difference {
    /// A diff from `expected` (-) to `actual` (+).
    ///
    /// Different values with equal descriptions are reported as such, because an empty diff would look like a success.
    static func text<Subject>(expected: Subject, actual: Subject) -> String {
        guard let difference = diff(expected, actual) else {
            return "Both print alike, yet they are not equal:\n\n" + indented(dump(actual))
        }
        return indented(difference) + "\n\n(- expected, + actual)"
    }

    static func dump<Subject>(_ value: Subject) -> String { String(customDumping: value) }

    static func list<Subject>(_ values: [Subject]) -> String { values.map { indented(dump($0)) }.joined(separator: "\n") }

    static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { "    " + $0 }.joined(separator: "\n")
    }
}
