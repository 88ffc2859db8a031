public import Chronicle
import ChronicleLog
public import ChronicleStore
import Expressions
import Synchronization

extension History where App.Action: ValueConvertible {
    /// The next page of matching records, or none after `HistoryLimits.pageNanosecondsMax`; moves the cursor's `reached`.
    /// - Throws: `.damaged`, `.undecodable`, `.pruned` if the records were compacted away, `.stopping` when the task is cancelled.
    public func records(
        of cursor: inout FilterCursor<App>, through last: UInt64
    ) async throws(StoreError) -> [LoggedRecord<App>] {
        let start = cursor
        let (records, next) = try await queries.perform(start.query.isLong ? .long : .short) {
            (queries) async throws(StoreError) in
            var cursor = start
            let end = monotonicNanoseconds() + HistoryLimits.pageNanosecondsMax
            if cursor.filter.looksAtStates {
                if cursor.pending.isEmpty, cursor.scanned < last {
                    try await self.scan(&cursor, through: last, until: end, queries)
                }
                return (try self.readPending(&cursor), cursor)
            }
            repeat {
                try await queries.yieldIfNeeded()
                let page = try LoggedRecord<App>.page(from: cursor.scanned + 1, through: last, in: self.log)
                guard let behind = page.last?.header.sequence else { break }
                cursor.scanned = behind
                let found = page.filter(cursor.filter.contains)
                if !found.isEmpty { return (found, cursor) }
            } while cursor.scanned < last && monotonicNanoseconds() < end
            return ([], cursor)
        }
        cursor = next
        return records
    }

    private func scan(
        _ cursor: inout FilterCursor<App>, through last: UInt64, until end: UInt64, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        var past = try await past(at: cursor.scanned, queries)
        var matcher = StateMatcher<App>(cursor.query, cursor.filter, from: past)
        var found: [UInt64] = []
        // Each page makes progress, even if loading the state took long.
        repeat {
            let before = (steps: matcher.steps, sequence: past.sequence)
            var isPending = false
            try readSlice(from: past.sequence + 1, through: last) { record, action in
                past.apply(action, of: record)
                guard let isWanted = matcher.look(past, record, action) else {
                    isPending = true
                    return false
                }
                if isWanted { found.append(record.sequence) }
                return found.count < HistoryLimits.pageRecordsMax && matcher.steps - before.steps < HistoryLimits.sliceSteps
            }
            let begun = matcher.steps
            while isPending {
                try await queries.yieldIfNeeded()
                // An expensive condition counts as a match: an extra record does less harm than a missing one.
                let isTooMuch = matcher.steps - begun >= cursor.stepsMax
                guard let isWanted = isTooMuch ? matcher.giveUp() : matcher.goOn() else { continue }
                isPending = false
                if isWanted { found.append(past.sequence) }
            }
            let (folded, steps) = (past.sequence - before.sequence, matcher.steps - before.steps)
            counting.withLock { ($0.folded, $0.steps) = ($0.folded + folded, $0.steps + steps) }
            try await queries.yieldIfNeeded()
        } while past.sequence < last && found.count < HistoryLimits.pageRecordsMax && monotonicNanoseconds() < end
        cursor.pending = found[...]
        cursor.scanned = past.sequence
        // At the end of the log, other cursors continue from the previous state.
        keep(&past, insteadOf: past.sequence < last ? cursor.kept : nil)
        cursor.kept = past.sequence
    }

    private func readPending(_ cursor: inout FilterCursor<App>) throws(StoreError) -> [LoggedRecord<App>] {
        var (records, bytes): ([LoggedRecord<App>], Int) = ([], 0)
        while let sequence = cursor.pending.first, bytes < HistoryLimits.pageBytesMax {
            let read = try readPiece(sequence...sequence, cursor.filter)
            cursor.pending.removeFirst()
            bytes += read.bytes
            records += read.found.map(\.record)
        }
        return records
    }
}

extension LogFilter {
    /// Whether a record matches, without its states.
    fileprivate func contains<App: Feature>(_ record: LoggedRecord<App>) -> Bool where App.Action: ValueConvertible {
        let facts = RecordFacts(record.header)
        return mayContain(facts) && contains(facts) { record.action?.value }
    }
}
