import TodoAPI

/// A range of records: `40..57`, or `40` alone.
///
/// The daemon checks that the records exist and are in order.
struct RangeWords {
    /// The texts of the first and the last record.
    let first, last: String

    init(_ text: String) throws(Failure) {
        let ends = text.split(separator: "..", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(ends.count), let first = ends.first, let last = ends.last, !first.isEmpty, !last.isEmpty else {
            throw Self.failure(text)
        }
        (self.first, self.last) = (first, last)
    }

    static func failure(_ text: String) -> Failure {
        Failure(
            .usage, "\(Visible.text(text)) is not a range of records: expected N or N..M, such as 40..57.")
    }
}
