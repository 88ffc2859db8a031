import ActionCoding
import ActionLogs
import Reducing

/// What is accepted and not on disk yet, and the rules by which more is.
///
/// The store has one, and changes it on its own thread alone; a dry run works on a copy of what it needs.
struct Staging<App: Feature>: Sendable
where App.State: CanonicalCodable, App.Action: CanonicalCodable, App.Command: CanonicalCodable {
    let log: any ActionLog
    let options: StoreOptions
    /// The state as far as it is accepted; what is published is what is on disk.
    var staged: Present<App.State>
    var clock: RecordClock
    var pending: PendingFlush<App>
    /// The open commands as far as they are accepted.
    var outbox: Outbox<App.Command>
    /// The last record, as far as is accepted, that took something back.
    var lastRewrite: UInt64 = 0
    /// With which records, as far as is accepted, earlier steps went on.
    var continuations = Continuations()
    /// Whether somebody continues the log, who alone writes then.
    var isLent = false
    var steps = RecentSteps()

    /// Goes on from a recovered state.
    init(_ recovered: Recovered<App>, log: any ActionLog, options: StoreOptions) {
        self.log = log
        self.options = options
        staged = recovered.present
        clock = RecordClock(lastTime: recovered.present.time, lastBoot: recovered.lastBoot)
        pending = PendingFlush(after: log.head)
        outbox = Outbox(recovered.outbox, heldThrough: log.head.heldThrough, read: Self.command)
        _ = outbox.settle()
    }

    /// Refuses what would write to a log that can't be written, or not now.
    @inline(__always)
    func checkWritable() throws(StoreError) {
        guard options.access == .readWrite else { throw .readOnly }
        guard !isLent else { throw .busy }
    }

    /// The answer to what logs nothing.
    var nothing: Acknowledgement<App.Command> {
        Acknowledgement(epoch: staged.epoch, sequences: staged.sequence + 1..<staged.sequence + 1)
    }

    typealias Mark = (staged: Present<App.State>, clock: RecordClock, flush: Flush.Mark, outbox: Int)

    /// The place that `rollBack` comes back to.
    var mark: Mark { (staged, clock, pending.flush.mark, outbox.mark) }

    mutating func rollBack(to before: Mark) {
        staged = before.staged
        clock = before.clock
        pending.flush.truncate(to: before.flush)
        outbox.undo(to: before.outbox)
    }

    /// Goes back to what is on disk, once a flush has failed.
    mutating func rollBack(to published: Present<App.State>) {
        staged = published
        outbox.undo(to: 0)
        lastRewrite = min(lastRewrite, staged.sequence)
        continuations.forget(after: staged.sequence)
        steps.forget()
    }

    /// The command of a row; `nil` if this version can't read it.
    static func command(of row: OutboxRow) -> App.Command? { try? App.Command(canonical: row.call.arguments) }
}
