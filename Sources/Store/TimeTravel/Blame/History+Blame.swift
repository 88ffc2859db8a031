public import Chronicle
public import ChronicleStore
public import Expressions

extension History {
    /// Finds the record that last changed a value to a different one; `nil`: never (positions in the path refer to that point).
    public func blame(
        _ path: Path, at point: Point = .now, progress: @Sendable (UInt64) -> Void = { _ in }
    ) async throws(StoreError) -> LastWriter? {
        try await origins(of: path, at: point, max: 1, progress: progress).last
    }

    /// Finds the newest `max` records that changed a value, oldest first (positions in the path refer to that point).
    public func origins(
        of path: Path, at point: Point = .now, max: Int = HistoryLimits.answersMax,
        progress: @Sendable (UInt64) -> Void = { _ in }
    ) async throws(StoreError) -> [LastWriter] {
        try await queryFromBase { (queries) async throws(StoreError) in
            let end = try self.position(point)
            let path = try await self.resolved(path, at: end, queries)
            var origins: [LastWriter] = []
            for segment in try await self.segments(through: end, queries) {
                if try await self.isUntouched(path, in: segment, queries) {
                    progress(segment.lowerBound)
                    continue
                }
                var past = try await self.past(at: segment.lowerBound, queries)
                var watch = PathWatch<App>(path, in: past.state)
                var found: [LastWriter] = []
                while past.sequence < segment.upperBound {
                    try self.foldSlice(&past, through: segment.upperBound) { past, _ in
                        if let (old, new) = watch.look(past.state) {
                            found.append(LastWriter(sequence: past.sequence, path: path, old: old, new: new))
                            // Drop old entries now, so that memory stays bounded.
                            if found.count >= 2 * max { found.removeFirst(found.count - max) }
                        }
                        return true
                    }
                    try await queries.yieldIfNeeded()
                }
                origins = Array((found + origins).suffix(max))
                progress(segment.lowerBound)
                if origins.count >= max { break }
            }
            return origins
        }
    }

    /// The path with positions replaced by element ids.
    func resolved(_ path: Path, at sequence: UInt64, _ queries: isolated QueryExecutor) async throws(StoreError) -> Path {
        guard path.steps.contains(where: { if case .position = $0 { true } else { false } }) else { return path }
        var reader = StateReading<App>(try await past(at: sequence, queries).state)
        return path.resolved(in: &reader)
    }

    /// The segments of history up to a point, newest first; each begins at a cached state or snapshot.
    func segments(through end: UInt64, _ queries: isolated QueryExecutor) async throws(StoreError) -> [ClosedRange<UInt64>] {
        let base = base.sequence
        guard end >= base else { throw .pruned(base: base) }
        let kept = end > base ? await loader.sequences(in: base + 1...end) : []
        try await queries.yieldIfNeeded()
        let ends = [base] + kept.filter { $0 < end } + [end]
        return zip(ends, ends.dropFirst()).map { $0...$1 }.reversed()
    }

    /// Finds, for each field at a path and below it, the record that last changed it, in state order; unchanged values are omitted.
    ///
    /// Elements are named by id; a list without ids is one value. Positions in the path refer to that point.
    /// - Throws: `answerTooLarge` for more than `HistoryLimits.leavesMax` values.
    public func origins(
        below path: Path?, at point: Point = .now, progress: @Sendable (UInt64) -> Void = { _ in }
    ) async throws(StoreError) -> [LastWriter] {
        try await queryFromBase { (queries) async throws(StoreError) in
            let end = try self.position(point)
            let now = try await self.past(at: end, queries)
            var reader = StateReading<App>(now.state)
            var origins = ValueOrigins(below: path?.resolved(in: &reader))
            for part in ValueOrigins.parts(of: now.state, as: App.self) {
                origins.collect(part)
                guard origins.count <= HistoryLimits.leavesMax else { throw .answerTooLarge }
                try await queries.yieldIfNeeded()
            }
            for segment in try await self.segments(through: end, queries) where origins.hasOpen {
                if try await self.isUntouched(origins.prefix, in: segment, queries) { continue }
                var past = try await self.past(at: segment.lowerBound, queries)
                var touched: [Path: UInt64] = [:]
                while past.sequence < segment.upperBound {
                    var before = past.state
                    try self.foldSlice(&past, through: segment.upperBound) { past, _ in
                        for change in App.changes(from: before, to: past.state, limit: .max) ?? [] {
                            origins.touch(change, at: past.sequence, &touched)
                        }
                        before = past.state
                        return true
                    }
                    try await queries.yieldIfNeeded()
                }
                origins.close(touched)
                progress(segment.lowerBound)
            }
            return origins.origins
        }
    }
}

/// The record that last changed a value.
public struct LastWriter: Sendable, Equatable {
    public var sequence: UInt64
    /// The path of the value.
    public var path: Path
    /// The value before the record; `nil`: none, or a whole list or feature.
    public var old: Value?
    /// The value after the record; `nil`: removed.
    public var new: Value?
}
