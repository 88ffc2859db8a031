import ChronicleLog

/// The limits of a store.
public enum Limits {
    /// Maximum share of one uid that is no administrator: half of the rest that other uids leave, so that some is always free.
    static func share(of max: Int, besides others: Int) -> Int { (max - others + 1) / 2 }

    /// Records in one batch from a client.
    public static let batchRecordsMax = 16_384
    /// State elements that all actions of one dispatch may examine, unless it has one action: about 0.1 s.
    public static let batchCostMax = 4_194_304
    /// Bytes of records in one undo batch.
    public static let compensationBytesMax = 256 << 20
    /// Records after which a flush accepts no further batch.
    public static let flushRecordsMax = 1_024
    /// Bytes after which a flush accepts no further batch.
    public static let flushBytesMax = 4 << 20
    /// Minimum pause between two lists of the open commands for one subscriber.
    public static let commandsPauseMilliseconds = 100
    /// Retries of a flush because other machines appended to a shared log first.
    static let othersFirstMax = 64
    /// Pages of other machines' records that are folded before other calls get a turn and before the next flush; fewer at a deadline.
    static let newsPagesMax = 8
    static let pagesBehindMax = 256
    /// Command results that may lie between a command and a dispatch or a delayed command; deeper commands are parked.
    public static let commandDepthMax: UInt32 = 32
    /// Open commands: above this number dispatches can't request more, and no log can begin with more.
    public static let openCommandsMax = 65_536
    /// Open delayed commands, such as reminders: dispatches can't request more, so that other commands always have room; an undo can.
    public static let delayedCommandsMax = openCommandsMax / 2
    /// Names of commands whose last start is kept for throttling; the names that expire first are dropped.
    public static let throttlesMax = 64
    /// Partial results of one command.
    public static let piecesMax: UInt32 = 10_000
    /// Bytes of the records of a command's partial results.
    public static let pieceBytesMax: UInt64 = 64 << 20
    /// Bytes of command arguments that a person edits.
    public static let argumentsBytesMax = 65_536
    public static let keyBytesMax = RowKey.keyBytesMax
    /// Bookmarks; each belongs to the uid that set it last.
    public static let bookmarksMax = 4_096
    /// Calls that wait for the store; one uid may use at most the free ones, so at most half.
    public static let waitingCallsMax = 262_144
    /// Bytes of dispatches that wait for the store; one uid may use at most the free ones, so at most half.
    public static let waitingBytesMax = 64 << 20
    /// Actions of one uid per turn if calls of other uids wait; one call may exceed it.
    public static let turnCostMax = 16
    /// Actions that are accepted before the store takes new calls; one call may exceed it, and then shares no flush with other uids.
    public static let sliceCostMax = 256
    /// Nanoseconds for which a flush accepts calls; one call may exceed it.
    public static let acceptingNanosecondsMax: UInt64 = 4_000_000
    /// Bytes of a dispatch that count as one action, because long actions cost more.
    public static let bytesPerAction = 256
    /// Empty queues of uids that are kept.
    public static let idleQueuesMax = 16
    /// Steps whose uid is cached, so that continuing them does not read the log.
    public static let recentStepsMax = 1_024
    /// Dispatches for which a flush waits; with more in flight, two alternating flushes overlap better with the sockets.
    public static let gatheringMax = 32
    /// Nanoseconds that a flush waits for clients that were just answered.
    public static let gatheringNanosecondsMax = 200_000
    /// Dispatches for which a flush of a shared log waits: an append takes milliseconds whatever its size.
    public static let sharedGatheringMax = 512
    /// Nanoseconds that a flush of a shared log waits for clients that were just answered, if the last flush took as long.
    public static let sharedGatheringNanosecondsMax = 10_000_000
    /// Queries of one length and one uid that wait or run.
    public static let queriesOfAskerMax = 16
    /// Reads of one uid that wait for a future state.
    public static let waitingReadsOfAskerMax = 512
    /// Nanoseconds that a query computes before others get their turn.
    public static let querySliceNanoseconds: UInt64 = 10_000_000
    /// Dispatches that are accepted together while a flush waits for more.
    public static let gatheringStepMax = 16
    /// Records in one page of a reader.
    public static let pageRecordsMax = 256
    /// Bytes in one page of a reader.
    public static let pageBytesMax = 1 << 20
    /// Invariants.
    public static let invariantsMax = 16
    /// Attempts to evaluate a new invariant on the present state; too many concurrent changes restart it.
    public static let invariantAttemptsMax = 16
    /// Evaluation steps of a new invariant before other calls get their turn.
    public static let invariantStepsMax = 4_096
    /// Steps for checking all invariants against the changes of one dispatch: some tenths of a second, in which all others wait.
    public static let judgingStepsMax = 262_144
    /// Steps for evaluating the requirement of one dispatch.
    public static let requirementStepsMax = 16_384
    /// Changes reported for a dispatch that would break an invariant.
    public static let brokenChangesMax = 100
    /// List elements in one page of a state.
    public static let statePageElementsMax = 1_024
    /// Approximate bytes of list elements, as JSON, in one page of a state; a subscriber that does not read keeps one page.
    public static let statePageBytesMax = 64 << 10
    /// Stored bytes of the records in one delivery to a subscriber; as JSON about one page of a state.
    public static let watchedBytesMax = statePageBytesMax / 2
    /// Changes that a slow state subscriber may lag before it gets the whole state again.
    public static let changesMax = 1_000
    /// Approximate bytes, as JSON, of the changes in one answer or in one item of a state subscription.
    public static let changesBytesMax = 1 << 20
    /// Records in an item of a state subscription.
    public static let itemRecordsMax = 16
    /// Stored bytes of these records; one record is shown at any size.
    public static let itemRecordsBytesMax = 256 << 10
    /// Records before the first snapshot pays off.
    public static let snapshotRecordsMin: UInt64 = 4_096
    /// Bytes of a snapshot that load as fast as one record folds: measured 10 ns per byte and 1 us per record.
    public static let snapshotBytesPerRecord: UInt64 = 100
    /// Records that may be appended between work outside the store and its commit.
    public static let meanwhileRecordsMax: UInt64 = 4_096
    /// Seconds that a read waits for its `minimumSequence`.
    public static let minimumSequenceSecondsMax = 10
}
