/// The named maxima of time travel.
public enum HistoryLimits {
    /// Records of a fork, from the last that both logs have, of which some are to be merged.
    public static let forkRecordsMax = 16_384
    /// Bytes of those records.
    public static let forkBytesMax = 16 << 20
    /// How often one fork is merged.
    public static let mergesMax = 64
    /// Past states that are kept to go on from.
    public static let pastsMax = 8
    /// Canonical bytes of what kept past states hold together beside the last one of them and what they share with it, with the base
    /// and with the present; in memory they take some six times as much.
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
    /// Changes of one record whose elements are looked at one by one, rather than all elements anew.
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
    /// Steps that are taken back at once.
    public static let stepsMax = 1_000
    /// Runs of records that one step may have.
    public static let stepRunsMax = 4_096
    /// How often others may take something back first, before they wait for whom they overtook.
    public static let overtakingsMax = 3
    /// How often it is found out in one turn what is to be taken back.
    public static let turnAttemptsMax = 8
    /// Nanoseconds after which no attempt is begun in a turn, and others wait for it no longer.
    public static let turnNanosecondsMax: UInt64 = 1_000_000_000
    /// How often it is found out in all what is to be taken back, or redacted.
    public static let undoAttemptsMax = 32
    /// Changes of a place of which nothing can be put back that are passed by on the way to one of which something can.
    public static let passedByMax = 16
    /// Rows of keys that are read in one view of the log.
    public static let keyRowsMax = 256
    /// Alterations in one question "what if", and steps that are skipped with records of theirs.
    public static let alterationsMax = 65_536
    /// Commands that an altered history does not ask for.
    public static let goneMax = 1_000_000
    /// Bytes of what several records hold once texts are taken out of them, in one call.
    public static let redactedBytesMax = 64 << 20
    /// UTF-8 bytes of a text whose copies are looked for.
    public static let soughtBytesMin = 4
    /// UTF-8 bytes of texts whose copies are looked for in one walk, for each of which that takes 9 bytes of memory.
    public static let soughtBytesMax = 4 << 20
    /// Records of a log, or else behind its last snapshot, that a rehearsal looks at one by one.
    public static let rehearsedTailMax: UInt64 = 65_536
    /// Snapshots of which a rehearsal compares all, however long their states take to encode.
    public static let rehearsedDigestsMin = 8
    /// Changes that a rehearsal shows of one place.
    public static let shownChangesMax = 20
    /// Damages that a verification lists.
    public static let damagesMax = 100
}
