import Expressions
import Records
import Reducing
import StoreRuntime

/// What gave a place its value last, of what stands.
struct PlaceChange {
    /// The step that did.
    var step: UInt64
    /// Whose step it is.
    var origin: UInt32
    /// The first of the records of the step that follow each other up to the one that did; before it the place was as nobody else left it since.
    var first: UInt64
}

extension History {
    /// Whether a place is the same at two moments, but for what can't be put back: what put back something smaller, or older, left it as it
    /// was at neither.
    private func isSame(_ place: Path, at later: UInt64, and earlier: UInt64) async throws(StoreError) -> Bool {
        try await query(.long) { (queries) async throws(StoreError) in
            let (old, new) = try await self.pair(earlier, later, queries)
            // A recurring todo comes back without its rule where the next one has it.
            let restored = place.placeSteps.flatMap { App.restored($0, in: new.state, from: old.state) }
            var watch = PlaceWatch<App>(place, in: restored ?? old.state)
            return watch.look(new.state) == nil
        }
    }

    /// What gave a place its value last and was not taken back, there or altogether.
    ///
    /// A record that put the place back left it as it was at a moment of before, so the search goes on from there; one that took back
    /// only a part of what is there is a change like others.
    func lastChange(of place: Path, through last: UInt64) async throws(StoreError) -> PlaceChange {
        var through = last
        while let sequence = try await blame(place, at: .sequence(through))?.sequence {
            let record = try record(at: sequence).header
            if let moment = record.restores ?? record.undoes.map({ $0 - 1 }), moment < sequence, moment >= base.sequence,
                try await isSame(place, at: sequence, and: moment)
            {
                through = moment
                continue
            }
            let first = try await firstRecord(before: sequence, of: record.step)
            return PlaceChange(step: record.step, origin: record.origin, first: first)
        }
        throw .nothingToUndo
    }

    /// The first of the records of a step that follow each other up to one of them.
    private func firstRecord(before sequence: UInt64, of step: UInt64) async throws(StoreError) -> UInt64 {
        try await query(.long) { (queries) async throws(StoreError) in
            var first = sequence
            let end = max(step, self.base.sequence + 1)
            while first > end {
                let low = max(end, first - min(first - end, HistoryLimits.scanRecords))
                let steps = try await self.readPage(low...first - 1, queries) { header, _ in header.step }
                for other in steps.reversed() {
                    guard other == step else { return first }
                    first -= 1
                }
            }
            return first
        }
    }
}
