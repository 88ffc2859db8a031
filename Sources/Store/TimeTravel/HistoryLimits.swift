public enum HistoryLimits {
    /// Records of a fork, from the last common record, in a merge.
    public static let forkRecordsMax = 16_384
    public static let forkBytesMax = 16 << 20
    public static let mergesMax = 64
    public static let pastsMax = 8
    /// Canonical bytes of all cached past states, not counting the last one and what is shared with it, with the base or with the
    /// present; in memory they take about six times as much.
    public static let pastBytesMax: UInt64 = 4 << 20
    /// Canonical bytes that a state does not share with the state one record later, as an estimate.
    public static let pastBytesPerRecord: UInt64 = 1_024
    /// Canonical bytes of the states loaded for one undo; beyond that, the records between its steps are folded instead.
    public static let loadedBytesMax: UInt64 = 16 << 20
    /// Nanoseconds that a fold runs before it yields.
    public static let sliceNanoseconds: UInt64 = 8_000_000
    /// Bytes of actions that a text search scans before it yields.
    static let searchedBytesMax = 1 << 20
    /// Records after which a walk checks the clock.
    public static let clockRecords: UInt64 = 64
    /// Evaluation steps of an expression before it yields.
    public static let expressionSteps = 4_096
    /// Evaluation steps of an expression in one slice of a fold.
    public static let sliceSteps = 65_536
    /// Evaluation steps of one query's expression, over all states.
    public static let expressionStepsMax = 1 << 30
    /// Evaluation steps of a subscriber's condition at one record (some milliseconds); beyond that the record matches.
    public static let filterStepsMax = 1 << 20
    /// Changes of one record up to which elements are examined one by one instead of all of them.
    public static let countedChangesMax = 1_024
    /// Records that a bisection examines one by one, unless halving is requested.
    public static let bisectRecordsMax: UInt64 = 2_000_000
    /// Bytes of a snapshot that load in the time of folding one record.
    public static let snapshotBytesPerRecord: UInt64 = 100
    /// Records that are folded from a cached state rather than from a snapshot.
    public static let shortFoldRecords: UInt64 = 16_384
    public static let changesMax = 65_536
    /// Points that a bisection examines before it starts halving.
    public static let samplesMax = 32
    /// Ranges of violations, entries of a history, and nodes of a cause tree, in one answer.
    public static let answersMax = 1_000
    public static let leavesMax = 200_000
    public static let pageChangedRecordsMax = 16
    /// Nanoseconds after which a page is returned with the results so far.
    public static let pageNanosecondsMax: UInt64 = 100_000_000
    /// Records found in a backward search that wait to be read.
    static let foundRecordsMax = 65_536
    /// Records in a run of typing that is shown as one.
    public static let runRecordsMax = 65_536
    /// Records scanned at a time in the backward search for a step.
    public static let scanRecords: UInt64 = 1_024
    public static let stepsMax = 1_000
    public static let stepRunsMax = 4_096
    public static let undoAttemptsMax = 8
    /// Changes of a path that a restore skips because nothing of them can be restored.
    public static let passedByMax = 16
    /// Key rows that are read in one read transaction.
    public static let keyRowsMax = 256
    /// Edits in one what-if query, and steps that are skipped together with their records.
    public static let editsMax = 65_536
    /// Commands that an altered history does not request.
    public static let goneMax = 1_000_000
    /// Bytes of several records after removing texts from them, in one call.
    public static let redactedBytesMax = 64 << 20
    /// Minimum UTF-8 bytes of a text to search for copies of it.
    public static let soughtBytesMin = 4
    /// UTF-8 bytes of texts whose copies are searched in one pass; each byte takes 9 bytes of memory.
    public static let soughtBytesMax = 4 << 20
    /// Records missing in the path index that are indexed although this needs a second large state in memory.
    static let indexedAgainMax: UInt64 = 65_536
    public static let damagesMax = 100
}
