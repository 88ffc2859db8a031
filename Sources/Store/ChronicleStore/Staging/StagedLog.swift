import Chronicle
import ChronicleLog

/// A log with its staged changes, and the rules for staging more.
///
/// It uses no threads or sockets. The store changes it on its own thread only; a dry run works on a copy. Every `accept` stages its whole
/// argument, or throws and changes nothing.
struct StagedLog<App: Feature>: Sendable
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    let log: any ActionLog
    /// The same log if other machines append to it, too.
    let shared: (any SharedActionLog)?
    let options: StoreOptions
    /// The state with all staged changes; the published state is the one on disk.
    var staged: CommittedState<App.State>
    var pending: CommitBatch<App>
    var outbox: Outbox<App.Command>
    /// Whether an import is running, which alone may write.
    var isImporting = false
    /// The reason why nothing is decided any more: records of other machines can't be read.
    var obstacle: StoreError?
    var steps = StepOwnerCache()
    var rateGuard: RateGuard
    private var rateGuardOnDisk: RateGuard
    var invariants: InvariantChecker<App>
    /// The evaluation state for the state on disk, because evaluating a whole state again would hold up all calls.
    private var invariantsOnDisk: InvariantChecker<App>.Standing
    /// The number of bookmarks that each uid set last, including staged ones; `nil` if they must be counted.
    var bookmarkOwners: [UInt32?: Int]?

    init(_ recovered: RecoveryResult<App>, log: any ActionLog, options: StoreOptions) {
        self.log = log
        shared = log as? any SharedActionLog
        self.options = options
        staged = recovered.present
        rateGuard = RateGuard(perMinuteMax: options.commandsPerMinuteMax)
        rateGuardOnDisk = rateGuard
        invariants = recovered.invariants
        invariantsOnDisk = invariants.standing
        pending = CommitBatch(after: log.head, bytesMax: shared?.flushBytesMax ?? Limits.flushBytesMax)
        outbox = Outbox(recovered.outbox, heldThrough: log.head.heldThrough, throttles: log.head.throttles, read: Self.command)
        _ = outbox.takeChanges()
    }

    /// Refuses a write to a log that can't be written now.
    @inline(__always)
    func checkWritable() throws(StoreError) {
        guard options.access == .readWrite else { throw .readOnly }
        guard !isImporting else { throw .busy }
        if let obstacle { throw obstacle }
    }

    var nothing: DispatchResult<App.Command> {
        DispatchResult(epoch: staged.epoch, sequences: staged.sequence + 1..<staged.sequence + 1)
    }

    typealias Mark = (staged: CommittedState<App.State>, flush: Flush.Mark, outbox: Int, rateGuard: RateGuard)

    var mark: Mark { (staged, pending.flush.mark, outbox.mark, rateGuard) }

    mutating func rollBack(to before: Mark) {
        staged = before.staged
        pending.flush.truncate(to: before.flush)
        outbox.undo(to: before.outbox)
        rateGuard = before.rateGuard
    }

    mutating func noteCommitted() {
        if !invariants.isEmpty || !invariantsOnDisk.invariants.isEmpty { invariantsOnDisk = invariants.standing }
        rateGuardOnDisk = rateGuard
    }

    mutating func rollBack(to published: CommittedState<App.State>) {
        staged = published
        outbox.undo(to: 0)
        invariants = InvariantChecker(invariantsOnDisk)
        // Commands whose flush failed do not count. The runner requests them again every second while the disk is full.
        rateGuard = rateGuardOnDisk
        steps.forget()
        bookmarkOwners = nil
    }

    /// Notes the scopes that changed since a state, and the change in size.
    /// - Parameter bytesMax: the size above which the state may shrink, but not grow.
    /// - Throws: `.stateFull`.
    mutating func noteChanges(from before: App.State, bytesMax: Int = .max) throws(StoreError) {
        let scopes = App.changedScopes(from: before, to: staged.state)
        guard !scopes.isEmpty else { return }
        staged.note(scopes, at: staged.sequence)
        let growth = App.growth(from: before, to: staged.state)
        staged.stateBytes += growth
        guard growth <= 0 || staged.stateBytes <= bytesMax else { throw .stateFull(bytes: staged.stateBytes, max: bytesMax) }
    }

    /// Folds a record into the staged state and stages it; fills in the sequence, the times and the commands of its header.
    /// - Parameters:
    ///   - action: `nil` if the record holds none.
    ///   - depth: command ends between the record and a dispatch.
    /// - Returns: the commands that it requests.
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
        if !commands.isEmpty {
            header.commands = commands.map { CommandCall($0) }
            for command in commands { assert(command.readBackFault == nil, command.readBackFault ?? "") }
            open(commands, askedBy: header, depth: depth, into: &batch)
        }
        // Fails at the write instead of at the next start if the action can't be decoded.
        assert(action.readBackFault == nil, action.readBackFault ?? "")
        pending.stage(header, action)
        return commands
    }

    /// The time of the next record: the wall clock, but later than the last record.
    func nextTime(_ now: Int64) -> Int64 { max(now, staged.time.adding(clamping: 1)) }

    /// Assigns the next sequence and time; `rawTime` holds the wall clock if it differs.
    mutating func place(_ header: inout RecordHeader, at now: Int64) {
        staged.sequence += 1
        staged.time = nextTime(now)
        header.sequence = staged.sequence
        header.time = staged.time
        header.rawTime = staged.time == now ? nil : now
        header.node = options.node
    }

    static func command(of row: OutboxRow) -> App.Command? { try? App.Command(canonical: row.call.arguments) }
}
