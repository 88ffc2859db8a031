import TodoAPI

/// A range of records as a person writes it: `40..57`, or `40` alone.
///
/// Which records there are, and which end comes first, the daemon says.
struct RangeWords {
    /// The words of the first record and of the last.
    let first, last: String

    init(_ text: String) throws(Failure) {
        let ends = text.split(separator: "..", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(ends.count), let first = ends.first, let last = ends.last, !first.isEmpty, !last.isEmpty else {
            throw Self.failure(text)
        }
        (self.first, self.last) = (first, last)
    }

    /// What is wrong with a text that is no range.
    static func failure(_ text: String) -> Failure {
        Failure(
            .usage, "\(Visible.text(text)) is no range of records: say one, or two with .. between, such as 40..57.")
    }
}
