import Records
import Reducing
import Values

/// A log with what is accepted and not on disk yet, and the rules by which more is.
///
/// It knows no thread and no socket. The store has one, and changes it on its own thread alone; a dry run works on a copy of what
/// it needs. Every `accept` stages all that it is asked for, or throws and leaves everything as it was.
struct StagedLog<App: Feature>: Sendable
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    let log: any ActionLog
    /// The same, if others append to it, too.
    let shared: (any SharedActionLog)?
    let options: StoreOptions
    /// The state as far as it is accepted; what is published is what is on disk.
    var staged: CommittedState<App.State>
    var pending: PendingFlush<App>
    /// The open commands as far as they are accepted.
    var outbox: Outbox<App.Command>
    /// The last record, as far as is accepted, that took something back.
    var lastRewrite: UInt64 = 0
    /// With which records, as far as is accepted, earlier steps went on.
    var continuations = Continuations()
    /// Whether somebody continues the log, who alone writes then.
    var isImporting = false
    /// Why nothing is decided any more: what others wrote can't be read here.
    var obstacle: StoreError?
    var steps = RecentSteps()
    var rateGuard: RateGuard
    private var rateGuardOnDisk: RateGuard
    /// Those who judge the states to come.
    var judges: Judges<App>
    /// Those who judge what comes behind what is on disk: to look at a state anew as a whole would hold up everybody.
    private var judgesOnDisk: Judges<App>.Standing
    /// Number of accepted bookmarks that each uid set last; `nil` if they must be counted.
    var bookmarkOwners: [UInt32?: Int]?
    /// The subscriptions as far as is accepted.
    var subscriptions: Subscriptions

    /// Goes on from a recovered state.
    init(_ recovered: Recovered<App>, log: any ActionLog, options: StoreOptions) {
        self.log = log
        shared = log as? any SharedActionLog
        self.options = options
        staged = recovered.present
        rateGuard = RateGuard(perMinuteMax: options.commandsPerMinuteMax)
        rateGuardOnDisk = rateGuard
        judges = recovered.judges
        judgesOnDisk = judges.standing
        pending = PendingFlush(after: log.head, bytesMax: shared?.flushBytesMax ?? Limits.flushBytesMax)
        outbox = Outbox(
            recovered.outbox, heldThrough: log.head.heldThrough, throttles: log.head.throttles, read: Self.command)
        _ = outbox.takeChanges()
        subscriptions = Subscriptions(recovered.subscriptions)
    }

    /// Refuses what would write to a log that can't be written, or not now.
    @inline(__always)
    func checkWritable() throws(StoreError) {
        guard options.access == .readWrite else { throw .readOnly }
        guard !isImporting else { throw .busy }
        if let obstacle { throw obstacle }
    }

    /// The answer to what logs nothing.
    var nothing: Acknowledgement<App.Command> {
        Acknowledgement(epoch: staged.epoch, sequences: staged.sequence + 1..<staged.sequence + 1)
    }

    typealias Mark = (staged: CommittedState<App.State>, flush: Flush.Mark, outbox: Int, rateGuard: RateGuard)

    /// The place that `rollBack` comes back to.
    var mark: Mark { (staged, pending.flush.mark, outbox.mark, rateGuard) }

    mutating func rollBack(to before: Mark) {
        staged = before.staged
        pending.flush.truncate(to: before.flush)
        outbox.undo(to: before.outbox)
        rateGuard = before.rateGuard
    }

    /// Notes that all that is staged is on disk.
    mutating func noteCommitted() {
        judgesOnDisk = judges.standing
        rateGuardOnDisk = rateGuard
    }

    /// Goes back to what is on disk, once a flush has failed.
    mutating func rollBack(to published: CommittedState<App.State>) {
        staged = published
        outbox.undo(to: 0)
        judges = Judges(judgesOnDisk)
        // Commands whose flush failed do not count. The runner asks for them again every second while the disk is full.
        rateGuard = rateGuardOnDisk
        lastRewrite = min(lastRewrite, staged.sequence)
        continuations.forget(after: staged.sequence)
        steps.forget()
        bookmarkOwners = nil
    }

    /// Notes what has changed since a state: which scopes, and by how many bytes.
    ///
    /// - Parameter bytesMax: the size above which the state may shrink, but not grow.
    /// - Throws: `.stateFull`. It must come before the state is judged, because that can't be rolled back.
    mutating func noteChanges(from before: App.State, bytesMax: Int = .max) throws(StoreError) {
        let scopes = App.changedScopes(from: before, to: staged.state)
        guard !scopes.isEmpty else { return }
        staged.note(scopes, at: staged.sequence)
        let growth = App.growth(from: before, to: staged.state)
        staged.stateBytes += growth
        guard growth <= 0 || staged.stateBytes <= bytesMax else { throw .stateFull(bytes: staged.stateBytes, max: bytesMax) }
    }

    /// Folds what a record holds on the staged state, and stages the record; of its header the sequence, the times and the commands
    /// are filled in.
    ///
    /// - Parameters:
    ///   - action: `nil`: the record holds none.
    ///   - depth: how many ends of commands lie between the record and what a person dispatched.
    /// - Returns: the commands that it asks for.
    @discardableResult
    mutating func append(
        _ action: App.Action?, _ header: RecordHeader, at now: Int64, depth: UInt32, into batch: inout Batch<App>
    ) -> [App.Command] {
        var header = header
        place(&header, at: now)
        guard let action else {
            pending.flush.stage(header, payload: [])
            return []
        }
        let commands = App.reduce(&staged.state, action, Context(time: header.time, origin: header.origin))
        let wiped = App.wiped(by: action, restores: header.restores != nil)
        if !wiped.isEmpty { staged.wiped = (staged.wiped.scopes.union(wiped), header.sequence) }
        if !commands.isEmpty {
            header.commands = commands.map { CommandCall($0) }
            for command in commands { assert(command.readBackFault == nil, command.readBackFault ?? "") }
            open(commands, askedBy: header, depth: depth, into: &batch)
        }
        // What can't be read back is found when it is written, not at the next start.
        assert(action.readBackFault == nil, action.readBackFault ?? "")
        pending.stage(header, action)
        return commands
    }

    /// The time of the next record: that of the wall clock, but later than the last record.
    func nextTime(_ now: Int64) -> Int64 { max(now, staged.time.adding(clamping: 1)) }

    /// Gives a record the next sequence and time; `rawTime` holds the time of the wall clock if that is another.
    mutating func place(_ header: inout RecordHeader, at now: Int64) {
        staged.sequence += 1
        staged.time = nextTime(now)
        header.sequence = staged.sequence
        header.time = staged.time
        header.rawTime = staged.time == now ? nil : now
        header.node = options.node
    }

    /// The command of a row; `nil` if this version can't read it.
    static func command(of row: OutboxRow) -> App.Command? { try? App.Command(canonical: row.call.arguments) }
}
