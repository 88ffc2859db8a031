import Expressions
import Records
public import Reducing
public import StoreRuntime
import Synchronization
import Values

extension History where App.Action: ValueConvertible {
    /// The next records that a filter wants, at most a page of them; the cursor's `reached` is then behind them.
    ///
    /// None where none was found within `HistoryLimits.pageNanosecondsMax`. It is a piece of a subscription, and so waits for no place.
    /// - Throws: `.damaged`, `.undecodable`, `.pruned` for what was compacted away, `.stopping` when the task is cancelled.
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

    /// Folds on from record to record, and notes which are wanted.
    ///
    /// A record that is begun is decided in the same page, however much of its time is over: so each page goes on, and none is begun twice.
    private func scan(
        _ cursor: inout FilterCursor<App>, through last: UInt64, until end: UInt64, _ queries: isolated Queries
    ) async throws(StoreError) {
        var past = try await past(at: cursor.scanned, queries)
        var matcher = StateMatcher<App>(cursor.query, cursor.filter, from: past)
        var found: [UInt64] = []
        // However long it took to come here, each page goes on.
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
                // To tell of a record that nobody wants does less harm than to pass one over.
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
        // At the end of the log others go on from the one before.
        keep(&past, insteadOf: past.sequence < last ? cursor.kept : nil)
        cursor.kept = past.sequence
    }

    /// Reads what was found, up to what a page may hold.
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
    /// Whether a record is wanted, as far as itself tells.
    fileprivate func contains<App: Feature>(_ record: LoggedRecord<App>) -> Bool where App.Action: ValueConvertible {
        let facts = RecordFacts(record.header)
        return mayContain(facts) && contains(facts) { record.action?.value }
    }
}
