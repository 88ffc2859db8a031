import Chronicle
import ChronicleLog
import ChronicleStore
import Expressions

/// The last active change of a path.
struct PlaceChange {
    var step: UInt64
    var origin: UInt32
    /// The first record of the step's last run; no other step changed the path between it and the change.
    var first: UInt64
}

extension History {
    /// Whether a path is equal at two points, apart from values that can't be restored.
    private func isSame(_ place: Path, at later: UInt64, and earlier: UInt64) async throws(StoreError) -> Bool {
        try await query(.long) { (queries) async throws(StoreError) in
            let (old, new) = try await self.pair(earlier, later, queries)
            // Restoring a recurring todo omits its rule if its next occurrence has it.
            let restored = place.placeSteps.flatMap { App.restored($0, in: new.state, from: old.state) }
            var watch = PlaceWatch<App>(place, in: restored ?? old.state)
            return watch.look(new.state) == nil
        }
    }

    /// The last change of a path that was not undone; skips records that restored it, together with the changes that they undid.
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

    /// The first record of the run of a step that contains a record.
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
