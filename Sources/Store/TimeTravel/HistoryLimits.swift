/// The named maxima of time travel.
public enum HistoryLimits {
    /// Records of a fork, from the last common record, in a merge.
    public static let forkRecordsMax = 16_384
    /// Bytes of the records of a fork.
    public static let forkBytesMax = 16 << 20
    /// How often one fork is merged.
    public static let mergesMax = 64
    /// Past states that are kept to go on from.
    public static let pastsMax = 8
    /// Canonical bytes of all cached past states, not counting the last one and what is shared with it, with the base or with
    /// the present; in memory they take about six times as much.
    public static let pastBytesMax: UInt64 = 4 << 20
    /// Canonical bytes that a state and one of a record later do not share, at most and roughly.
    public static let pastBytesPerRecord: UInt64 = 1_024
    /// Canonical bytes of the states that are loaded for one undo, before what lies between its steps is folded instead.
    public static let loadedBytesMax: UInt64 = 16 << 20
    /// Nanoseconds that a fold goes on before others get their turn.
    public static let sliceNanoseconds: UInt64 = 8_000_000
    /// Bytes of actions that are searched for a text between two turns.
    static let searchedBytesMax = 1 << 20
    /// Records after which a walk looks at the clock.
    public static let clockRecords: UInt64 = 64
    /// Steps of an expression after which others get their turn.
    public static let expressionSteps = 4_096
    /// Steps of an expression in one slice of a fold.
    public static let sliceSteps = 65_536
    /// Steps of an expression that one question may take in all states together.
    public static let expressionStepsMax = 1 << 30
    /// Steps of a subscription's condition at one record, after which the record counts as wanted: some milliseconds of the query thread.
    public static let subscriptionStepsMax = 1 << 20
    /// Changes of one record up to which elements are examined one by one instead of all of them.
    public static let countedChangesMax = 1_024
    /// Records that a bisection looks at one by one, unless it is asked for halves.
    public static let bisectRecordsMax: UInt64 = 2_000_000
    /// Bytes of a snapshot that load in the time in which one record folds.
    public static let snapshotBytesPerRecord: UInt64 = 100
    /// Records that are folded from a state at hand rather than from a snapshot.
    public static let shortFoldRecords: UInt64 = 16_384
    /// Changes in the answer to one comparison of states.
    public static let changesMax = 65_536
    /// Points that a bisection looks at before it halves.
    public static let samplesMax = 32
    /// Ranges of violations, entries of a history, and nodes of a tree of causes, in one answer.
    public static let answersMax = 1_000
    /// Values whose origin is asked for at once.
    public static let leavesMax = 200_000
    /// Records that are looked through for what a command brought about, at a time.
    public static let pageRecordsMax = 256
    /// Records in one page that tell what they changed.
    public static let pageChangedRecordsMax = 16
    /// Nanoseconds after which a page is given with what was found so far.
    public static let pageNanosecondsMax: UInt64 = 100_000_000
    /// Records that were found on the way back and wait to be read.
    static let foundRecordsMax = 65_536
    /// Bytes of records in one page.
    public static let pageBytesMax = 1 << 20
    /// Records in a run of typing that is shown as one.
    public static let runRecordsMax = 65_536
    /// Records that are walked through at a time on the way back to a step.
    public static let scanRecords: UInt64 = 1_024
    /// Steps in one undo.
    public static let stepsMax = 1_000
    /// Runs of records that one step may have.
    public static let stepRunsMax = 4_096
    /// Times that others may commit an undo first, before they wait for the one they overtook.
    public static let overtakingsMax = 3
    /// Attempts to compute an undo in one turn.
    public static let turnAttemptsMax = 8
    /// Nanoseconds after which no attempt is begun in a turn, and others wait for it no longer.
    public static let turnNanosecondsMax: UInt64 = 1_000_000_000
    /// Attempts to compute an undo or a redaction in all.
    public static let undoAttemptsMax = 32
    /// Changes of a path that a restore skips because nothing of them can be restored.
    public static let passedByMax = 16
    /// Rows of keys that are read in one view of the log.
    public static let keyRowsMax = 256
    /// Alterations in one question "what if", and steps that are skipped with records of theirs.
    public static let alterationsMax = 65_536
    /// Commands that an altered history does not ask for.
    public static let goneMax = 1_000_000
    /// Bytes of several records after removing texts from them, in one call.
    public static let redactedBytesMax = 64 << 20
    /// UTF-8 bytes of a text whose copies are looked for.
    public static let soughtBytesMin = 4
    /// UTF-8 bytes of texts whose copies are searched in one pass; each byte takes 9 bytes of memory.
    public static let soughtBytesMax = 4 << 20
    /// Records of a log, or else after its last snapshot, that a rehearsal examines one by one.
    public static let rehearsedTailMax: UInt64 = 65_536
    /// Number of snapshots up to which a rehearsal compares all, however long encoding takes.
    public static let rehearsedDigestsMin = 8
    /// Changes that a rehearsal shows of one place.
    public static let shownChangesMax = 20
    /// Damages that a verification lists.
    public static let damagesMax = 100
}
