public import Expressions
import Reducing
public import StoreRuntime
import Values

extension History {
    /// Which record last gave a place its value, at some moment; `nil`: it has the value that everything began with.
    ///
    /// A record that put there what was there already did not. A position in the path means the element that stands there then.
    public func blame(
        _ path: Path, at point: Point = .now, progress: @Sendable (UInt64) -> Void = { _ in }
    ) async throws(StoreError) -> Origin? {
        try await origins(of: path, at: point, max: 1, progress: progress).last
    }

    /// The records that gave a place its values, oldest first; the newest `max` of them.
    ///
    /// A position in the path means the element that stands there at the moment.
    public func origins(
        of path: Path, at point: Point = .now, max: Int = HistoryLimits.answersMax,
        progress: @Sendable (UInt64) -> Void = { _ in }
    ) async throws(StoreError) -> [Origin] {
        try await queryFromBase { (queries) async throws(StoreError) in
            let end = try self.position(point)
            let path = try await self.resolved(path, at: end, queries)
            var origins: [Origin] = []
            for segment in try await self.segments(through: end, queries) {
                if try await self.isUntouched(path, in: segment, queries) {
                    progress(segment.lowerBound)
                    continue
                }
                var past = try await self.past(at: segment.lowerBound, queries)
                var watch = PlaceWatch<App>(path, in: past.state)
                var found: [Origin] = []
                while past.sequence < segment.upperBound {
                    try self.foldSlice(&past, through: segment.upperBound) { past, _ in
                        if let (old, new) = watch.look(past.state) {
                            found.append(Origin(sequence: past.sequence, path: path, old: old, new: new))
                            // Only the newest are told, so nobody holds a long history.
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

    /// The same place with the ids of elements that are named by their positions at a moment.
    func resolved(_ path: Path, at sequence: UInt64, _ queries: isolated Queries) async throws(StoreError) -> Path {
        guard path.steps.contains(where: { if case .position = $0 { true } else { false } }) else { return path }
        var reader = StateReading<App>(try await past(at: sequence, queries).state)
        return path.resolved(in: &reader)
    }

    /// The pieces of history up to a moment, the newest first; each begins where a state is kept.
    func segments(through end: UInt64, _ queries: isolated Queries) async throws(StoreError) -> [ClosedRange<UInt64>] {
        let base = base.sequence
        guard end >= base else { throw .pruned(base: base) }
        let kept = end > base ? await loader.sequences(in: base + 1...end) : []
        try await queries.yieldIfNeeded()
        let ends = [base] + kept.filter { $0 < end } + [end]
        return zip(ends, ends.dropFirst()).map { $0...$1 }.reversed()
    }

    /// For each value at a place and below it, at some moment, the record that gave it.
    ///
    /// Values are fields, of elements by their ids; a list whose elements have none is one value. Those that have been there
    /// from the beginning have no origin and are left out. In the order of the state. A position in the path means the element that
    /// stands there at the moment.
    /// - Throws: `answerTooLarge` when there are more than `HistoryLimits.leavesMax` values.
    public func origins(
        below path: Path?, at point: Point = .now, progress: @Sendable (UInt64) -> Void = { _ in }
    ) async throws(StoreError) -> [Origin] {
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
