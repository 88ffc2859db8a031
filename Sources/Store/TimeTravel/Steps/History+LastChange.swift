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
            var watch = PathWatch<App>(place, in: restored ?? old.state)
            return watch.look(new.state) == nil
        }
    }

    /// The last change of a path that was not undone; skips records that restored it, together with the changes that they undid.
    func lastChange(of place: Path, through last: UInt64) async throws(StoreError) -> PlaceChange {
        var through = last
        while let sequence = try await blame(place, at: .sequence(through))?.sequence {
            let record = try record(at: sequence)
            if let moment = record.header.restores ?? record.header.undoes.map({ $0 - 1 }), moment < sequence,
                moment >= base.sequence, try await isSame(place, at: sequence, and: moment)
            {
                through = moment
                continue
            }
            let first = try await query(.long) { (queries) async throws(StoreError) in
                try await self.outermost(from: record, isForward: false, queries) { $0.header.step == $1.header.step }
            }
            return PlaceChange(step: record.header.step, origin: record.header.origin, first: first.header.sequence)
        }
        throw .nothingToUndo
    }
}
