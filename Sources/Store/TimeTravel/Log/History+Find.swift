import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions
import Synchronization

extension History where App.Action: ValueConvertible {
    /// Finds the next matching records of a query that depends on states, until a page is full, its time is over, or the range ends.
    ///
    /// Newest first, it goes back from cached state to cached state, folds each segment, and skips those without relevant actions.
    func find(_ cursor: inout LogCursor<App>, until end: UInt64, _ queries: isolated QueryExecutor) async throws(StoreError) {
        while cursor.pending.isEmpty, let rest = cursor.rest {
            if let touched = try await touched(cursor.query.path, in: rest, cursor.query.order, queries) {
                try await find(touched, &cursor, until: end, queries)
            } else {
                try await walk(rest, &cursor, until: end, queries)
            }
            if monotonicNanoseconds() > end { return }
            try await queries.yieldIfNeeded()
        }
    }

    private func find(
        _ touched: PathPosting, _ cursor: inout LogCursor<App>, until end: UInt64, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        let range = touched.range
        switch touched.knowledge {
        case .unknown: try await walk(range, &cursor, until: end, queries)
        case .exact where cursor.filter.reads == nil:
            cursor.pending = cursor.query.order == .forward ? touched.sequences[...] : touched.sequences.reversed()[...]
            cursor.pass(range)
        case .exact, .candidates:
            guard let first = touched.sequences.first, let last = touched.sequences.last else { return cursor.pass(range) }
            switch cursor.query.order {
            case .forward:
                if first > range.lowerBound { cursor.pass(range.lowerBound...first - 1) }
                try await findNext(&cursor, in: first...last, until: end, queries)
            case .reverse:
                if last < range.upperBound { cursor.pass(last + 1...range.upperBound) }
                try await findLast(&cursor, in: range.lowerBound...last, queries)
            }
        }
    }

    private func walk(
        _ rest: ClosedRange<UInt64>, _ cursor: inout LogCursor<App>, until end: UInt64, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        switch cursor.query.order {
        case .forward: try await findNext(&cursor, in: rest, until: end, queries)
        case .reverse: try await findLast(&cursor, in: rest, queries)
        }
    }

    private func findNext(
        _ cursor: inout LogCursor<App>, in rest: ClosedRange<UInt64>, until end: UInt64, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        var past = try await past(at: rest.lowerBound - 1, queries)
        var found: [UInt64] = []
        try await scan(&past, through: rest.upperBound, &cursor, queries) { sequence in
            if let sequence { found.append(sequence) }
            return found.count < HistoryLimits.pageRecordsMax && monotonicNanoseconds() < end
        }
        cursor.pending = found[...]
        cursor.pass(rest.lowerBound...past.sequence)
        guard cursor.rest != nil else { return }
        keep(&past, insteadOf: cursor.kept)
        cursor.kept = past.sequence
    }

    private func findLast(
        _ cursor: inout LogCursor<App>, in rest: ClosedRange<UInt64>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) {
        let kept = rest.lowerBound < rest.upperBound ? await loader.sequences(in: rest.lowerBound...rest.upperBound - 1) : []
        let piece = (kept.last ?? rest.lowerBound - 1) + 1...rest.upperBound
        if let path = cursor.query.path, !(try await mayChange(path, in: piece, queries)) { return cursor.pass(piece) }
        // The snapshot may be unusable, so the fold may begin earlier.
        var past = try await nearest(through: rest.upperBound - 1, queries)
        try await fold(&past, through: max(past.sequence, rest.lowerBound - 1), queries)
        let first = past.sequence + 1
        var found: [UInt64] = []
        var isCut = false
        try await scan(&past, through: rest.upperBound, &cursor, queries) { sequence in
            if let sequence { found.append(sequence) }
            // Keep the newest; the others are searched again after these were read.
            if found.count >= 2 * HistoryLimits.foundRecordsMax {
                found.removeFirst(HistoryLimits.foundRecordsMax)
                isCut = true
            }
            return true
        }
        cursor.pending = found.reversed()[...]
        cursor.pass((isCut ? found[0] : first)...rest.upperBound)
    }

    /// Whether a range contains an action of the feature that owns the path; no other can change it.
    private func mayChange(
        _ path: Path, in range: ClosedRange<UInt64>, _ queries: isolated QueryExecutor
    ) async throws(StoreError) -> Bool {
        guard let scope = App.scope(of: path) else { return true }
        var (next, isFound) = (range.lowerBound, false)
        while next <= range.upperBound, !isFound {
            try readSlice(from: next, through: range.upperBound) { record, action in
                next = record.sequence + 1
                isFound = action.map { !App.scopes(of: $0).isDisjoint(with: scope) } ?? false
                return !isFound
            }
            try await queries.yieldIfNeeded()
        }
        return isFound
    }

    /// Folds to a sequence and reports each matching record, and `nil` after each slice, until the closure returns `false`.
    private func scan(
        _ past: inout PastState<App>, through last: UInt64, _ cursor: inout LogCursor<App>, _ queries: isolated QueryExecutor,
        _ body: (UInt64?) -> Bool
    ) async throws(StoreError) {
        var matcher = StateMatcher<App>(cursor.query, cursor.filter, from: past)
        var goesOn = true
        while past.sequence < last, goesOn {
            let before = (steps: matcher.steps, sequence: past.sequence)
            var isPending = false
            try readSlice(from: past.sequence + 1, through: last) { record, action in
                past.apply(action, of: record)
                guard let isWanted = matcher.look(past, record, action) else {
                    isPending = true
                    return false
                }
                if isWanted { goesOn = body(record.sequence) }
                return goesOn && matcher.steps - before.steps < HistoryLimits.sliceSteps
            }
            counting.withLock { [past] in $0.folded += past.sequence - before.sequence }
            while isPending {
                if let isWanted = matcher.goOn() {
                    isPending = false
                    if isWanted { goesOn = body(past.sequence) }
                }
                guard cursor.stepsLeft > matcher.steps - before.steps else { throw .tooManySteps(reached: past.sequence) }
                try await queries.yieldIfNeeded()
            }
            let steps = matcher.steps - before.steps
            counting.withLock { $0.steps += steps }
            cursor.stepsLeft -= steps
            guard cursor.stepsLeft > 0 else { throw .tooManySteps(reached: past.sequence) }
            goesOn = goesOn && body(nil)
            try await queries.yieldIfNeeded()
        }
    }

    func readFound(_ cursor: inout LogCursor<App>, _ body: (LogEntry<App>) -> Void) throws(StoreError) {
        var (count, bytes) = (0, 0)
        while let sequence = cursor.pending.first, count < cursor.query.entriesMax, bytes < HistoryLimits.pageBytesMax {
            let read = try readPiece(sequence...sequence, cursor.filter)
            cursor.pending.removeFirst()
            count += 1
            bytes += read.bytes
            for entry in read.found {
                if let finished = cursor.take(entry) { body(finished) }
            }
            if !cursor.wantsMore { return }
        }
    }
}
