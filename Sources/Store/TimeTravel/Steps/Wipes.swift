import Records
import Reducing

/// What put away what earlier records had led to, as a walk from the last record to the first meets it.
struct Wipes {
    /// One record that did.
    struct Wipe {
        var sequence: UInt64
        /// The step that is to be taken back for it to be as if it had not been.
        var step: UInt64
        var scopes: ScopeSet
        /// Only what came after this record was wiped; 0: everything.
        var after: UInt64
    }

    /// Those whose steps stand, the last first; of each step only its last, and no more than can be of steps that are taken back at once.
    private(set) var standing: [Wipe] = []

    /// Takes the record before the last one that was taken.
    mutating func take(_ record: HeaderFields, wiping scopes: ScopeSet, _ rewrites: Rewrites) {
        guard !scopes.isEmpty, rewrites.undoing(record.step) == nil, standing.count <= HistoryLimits.stepsMax else { return }
        let step = rewrites.standing(for: record.step)
        if let last = standing.last, last.step == step, last.scopes.isSuperset(of: scopes), last.after == record.restores ?? 0 {
            return
        }
        standing.append(Wipe(sequence: record.sequence, step: step, scopes: scopes, after: record.restores ?? 0))
    }
}
