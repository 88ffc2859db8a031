import Chronicle
import ChronicleLog
import DiskLog
import FeatureApp
import Testing
import TimeTravel

extension LMDBActionLog {
    /// Compacts the log to a past state as the daemon does.
    ///
    /// `replaced` runs in the same step.
    func compact(
        to past: PastState<App>, keeping isKept: (KeyRow) -> Bool = { _ in true }, replaced: () -> Void = {}
    ) throws {
        let checksum = try #require(try checksum(of: past.sequence))
        let base = Base(sequence: past.sequence, checksum: checksum, time: past.time, archive: "a")
        try beginCompaction()
        defer { endCompaction() }
        let summary = CompactionSummary(of: try DerivedRows.of(App.self, in: self, through: past.sequence))
        try compact(to: try compactedCopy(after: base, state: past.state, telling: summary, keeping: isKept))
        replaced()
    }
}
