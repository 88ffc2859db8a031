import Records

/// The named maxima of a store.
public enum Limits {
    /// Maximum share of one uid that may not administer: half of what the other uids leave, so that some is always free.
    static func share(of max: Int, besides others: Int) -> Int { (max - others + 1) / 2 }

    /// Records in one batch from a client.
    public static let batchRecordsMax = 16_384
    /// Elements of the state that the actions of one dispatch look at together, but for one action alone: about a tenth of a second.
    public static let batchCostMax = 4_194_304
    /// Bytes of records in one batch that takes something back.
    public static let compensationBytesMax = 256 << 20
    /// Records after which a flush takes no further batch.
    public static let flushRecordsMax = 1_024
    /// Bytes after which a flush takes no further batch.
    public static let flushBytesMax = 4 << 20
    /// How long who follows the open commands is told nothing more after a list, at least.
    public static let commandsPauseMilliseconds = 100
    /// How often a flush is decided anew because others wrote to a shared log first.
    static let othersFirstMax = 64
    /// Pages of what others wrote that are taken in before somebody else has a turn, and before a flush behind them; fewer at a deadline.
    static let newsPagesMax = 8
    static let pagesBehindMax = 256
    /// Ends of commands that may lie between a command and a dispatch or a delayed command; deeper commands are parked.
    public static let commandDepthMax: UInt32 = 32
    /// Open commands above which no dispatch may ask for more, and with more than which no log begins.
    public static let openCommandsMax = 65_536
    /// Those among them of a kind that waits for a time of its own, such as reminders, above which no dispatch may ask for one more: half, so that
    /// all others have room however much is planned, and however soon.
    ///
    /// What takes something back may bring more.
    public static let delayedCommandsMax = openCommandsMax / 2
    /// Names of commands whose last start is kept, so that the next waits; of more, those whose time is over first are forgotten.
    public static let throttlesMax = 64
    /// Pieces of what one command brings before its end.
    public static let piecesMax: UInt32 = 10_000
    /// Bytes of the records of those.
    public static let pieceBytesMax: UInt64 = 64 << 20
    /// Bytes of the arguments that a command is given by hand.
    public static let argumentsBytesMax = 65_536
    public static let keyBytesMax = RowKey.keyBytesMax
    /// Bookmarks that stand at once; each belongs to the uid that set it last.
    public static let bookmarksMax = 4_096
    /// Subscriptions that are kept at once.
    public static let subscriptionsMax = 64
    /// Those among them that a uid makes who may not administer.
    public static let subscriptionsOfOwnerMax = 16
    /// Names of actions that a subscription may list, and UTF-8 bytes of each.
    public static let subscriptionActionsMax = 64
    /// UTF-8 bytes of a name of an action that a subscription lists.
    public static let subscriptionActionBytesMax = 128
    /// Calls that wait for the store; one uid may hold as many as are free, so at most half.
    public static let waitingCallsMax = 262_144
    /// Bytes of the dispatches that wait for the store; one uid may hold as many as are free, so at most half.
    public static let waitingBytesMax = 64 << 20
    /// Actions of one uid that are accepted in its turn if calls of other uids wait; one call may exceed it.
    public static let turnCostMax = 16
    /// Actions that are accepted before the store looks for new calls; one call may exceed it, and does not share a flush with other uids.
    public static let sliceCostMax = 256
    /// Nanoseconds for which a flush accepts calls; one call may exceed it.
    public static let acceptingNanosecondsMax: UInt64 = 4_000_000
    /// Bytes of a dispatch that count as one action, since long actions take longer to accept.
    public static let bytesPerAction = 256
    /// Empty queues of uids that are kept.
    public static let idleQueuesMax = 16
    /// Steps that are known to be one of their uid without a look into the log.
    public static let recentStepsMax = 1_024
    /// Dispatches for which a flush waits; with more under way, two flushes that take turns overlap better with the sockets.
    public static let gatheringMax = 32
    /// Nanoseconds that a flush waits for callers who were just answered.
    public static let gatheringNanosecondsMax = 200_000
    /// Those of a log that several machines share: an append takes some milliseconds there, however many are in it.
    public static let sharedGatheringMax = 512
    /// Nanoseconds that a flush of such a log waits for callers who were just answered, if the last one took as long.
    public static let sharedGatheringNanosecondsMax = 10_000_000
    /// Queries of one length and one uid that wait or run.
    public static let queriesOfAskerMax = 16
    /// Reads of one uid that wait for a state that has not come yet.
    public static let waitingReadsOfAskerMax = 512
    /// Nanoseconds that a query computes before others get their turn.
    public static let querySliceNanoseconds: UInt64 = 10_000_000
    /// Dispatches that are accepted together while a flush waits for more.
    public static let gatheringStepMax = 16
    /// Records in one page of a reader.
    public static let pageRecordsMax = 256
    /// Bytes in one page of a reader.
    public static let pageBytesMax = 1 << 20
    /// Conditions that every state must meet.
    public static let invariantsMax = 16
    /// How often it is begun anew to look at the present with a new one, because too much had changed meanwhile.
    public static let invariantAttemptsMax = 16
    /// Steps in which it is found out whether one holds before others have their turn.
    public static let invariantStepsMax = 4_096
    /// Steps in which all conditions are judged by what one dispatch changed: some tenths of a second, for which all others wait.
    public static let judgingStepsMax = 262_144
    /// Steps of the evaluation of what one dispatch requires of its own outcome.
    public static let requirementStepsMax = 16_384
    /// Changes that are told of a dispatch that would break a condition.
    public static let brokenChangesMax = 100
    /// List elements in one piece of a state.
    public static let statePageElementsMax = 1_024
    /// Bytes of list elements in one piece of a state, as JSON, roughly; a subscriber that does not read keeps one.
    public static let statePageBytesMax = 64 << 10
    /// Bytes of the records that a subscriber gets at once, as in the log: as JSON, about a piece of a state.
    public static let watchedBytesMax = statePageBytesMax / 2
    /// Changes that a slow state subscriber can be behind before it gets the whole state again.
    public static let changesMax = 1_000
    /// Bytes of the changes in one answer, or in an item of a state subscription, as JSON, roughly.
    public static let changesBytesMax = 1 << 20
    /// Records that an item of a state subscription shows.
    public static let itemRecordsMax = 16
    /// Bytes of those records as they are stored; one is shown however large it is.
    public static let itemRecordsBytesMax = 256 << 10
    /// Records after which the first snapshot is worth its while.
    public static let snapshotRecordsMin: UInt64 = 4_096
    /// Bytes of a snapshot that load in the time in which one record folds, as measured: 1 us against 10 ns a byte.
    public static let snapshotBytesPerRecord: UInt64 = 100
    /// Records that may come between what is found out beside the store and what is done with it in line.
    public static let meanwhileRecordsMax: UInt64 = 4_096
    /// Seconds that a read waits for its `minimumSequence`.
    public static let minimumSequenceSecondsMax = 10
}
