import Chronicle
import ChronicleLog

/// Tracks overwritten scopes while scanning a log backwards.
struct Wipes {
    struct Wipe {
        var sequence: UInt64
        /// The step to undo to remove the overwrite.
        var step: UInt64
        var scopes: ScopeSet
        /// The first overwritten record is the one after this; 0: everything.
        var after: UInt64
    }

    /// Overwrites of active steps, newest first: the last one of each step, up to the maximum number of steps in one undo.
    private(set) var standing: [Wipe] = []

    mutating func take(_ record: HeaderFields, wiping scopes: ScopeSet, _ rewrites: Rewrites) {
        guard !scopes.isEmpty, rewrites.undoing(record.step) == nil, standing.count <= HistoryLimits.stepsMax else { return }
        let step = rewrites.standing(for: record.step)
        if let last = standing.last, last.step == step, last.scopes.isSuperset(of: scopes), last.after == record.restores ?? 0 {
            return
        }
        standing.append(Wipe(sequence: record.sequence, step: step, scopes: scopes, after: record.restores ?? 0))
    }
}
