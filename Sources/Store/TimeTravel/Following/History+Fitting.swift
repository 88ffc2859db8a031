public import Records
public import Reducing
public import StoreRuntime
import Values

extension History where App.Action: ValueConvertible {
    /// The next records behind a sequence that fit a filter, at most a page of them, and the last record that was looked at.
    ///
    /// None where none was found within `HistoryLimits.pageNanosecondsMax`. It is a piece of a subscription, and so waits for no place.
    /// - Throws: `.damaged`, `.undecodable`, `.pruned` for what was compacted away, `.stopping` when the task is cancelled.
    public func records(
        fitting filter: RecordFilter, after sequence: UInt64, through last: UInt64
    ) async throws(StoreError) -> (records: [LoggedRecord<App>], reached: UInt64) {
        try await queries.perform(filter.isEmpty ? .short : .long) { (queries) async throws(StoreError) in
            let end = monotonicNanoseconds() + HistoryLimits.pageNanosecondsMax
            var reached = sequence
            repeat {
                try await queries.yieldIfNeeded()
                let page = try LoggedRecord<App>.page(from: reached + 1, through: last, in: self.log)
                guard let behind = page.last?.header.sequence else { break }
                reached = behind
                let found = filter.isEmpty ? page : page.filter(filter.fits)
                if !found.isEmpty { return (found, reached) }
            } while reached < last && monotonicNanoseconds() < end
            return ([], reached)
        }
    }
}

extension RecordFilter {
    /// Whether a record is wanted.
    func fits<App: Feature>(_ record: LoggedRecord<App>) -> Bool where App.Action: ValueConvertible {
        if let origin, record.header.origin != origin { return false }
        guard feature != nil || !actions.isEmpty else { return true }
        guard let name = record.action?.value.actionName else { return false }
        let parts = name.split(separator: ".", maxSplits: 1)
        if let feature, parts.first.map({ String($0).hasSameBytes(as: feature) }) != true { return false }
        return actions.isEmpty
            || actions.contains { wanted in
                name.hasSameBytes(as: wanted) || parts.last.map { String($0).hasSameBytes(as: wanted) } ?? false
            }
    }
}
