import Dispatch
public import Records
import Synchronization

/// A log that fails when a test says so, waits when a test says so, and counts what was asked of it.
///
/// Everything else is the wrapped log's. Once it threw `unknownOutcome` it throws that for every further append, as a
/// real log does, until `mend()`.
public final class FailingLog: ForwardingLog {
    /// When an append fails.
    public enum Moment: Sendable, Equatable {
        /// Nothing reached the wrapped log.
        case before
        /// The wrapped log has the flush, and its writer does not know: what makes an outcome unknown.
        case after
    }

    /// What was asked of the log.
    public struct Counts: Sendable, Equatable {
        /// Appends that were begun; one that is held up counts.
        public var appends = 0
        /// Appends that threw, for whatever reason.
        public var failures = 0
        /// How many records each append had that the wrapped log took.
        public var flushes: [Int] = []
    }

    /// What a full disk gives.
    public static let fullDisk = ActionLogError.storageFull(.disk, message: "no space left on device")
    /// What an error in the middle of a commit gives.
    public static let unknownOutcome = ActionLogError.unknownOutcome(what: "the commit: input/output error")

    private struct Script {
        var counts = Counts()
        var faults: [(error: ActionLogError, moment: Moment)] = []
        var rhythm: (every: Int, since: Int, error: ActionLogError, moment: Moment)?
        var lasting: ActionLogError?
        var damage: (sequence: UInt64, error: ActionLogError)?
        var headroom: Headroom?
        var gate: DispatchSemaphore?
        var readGate: DispatchSemaphore?
    }

    /// The log that really keeps the records.
    public let wrapped: any ActionLog
    private let script = Mutex(Script())
    private let begun: Milestones

    /// Wraps a log.
    public init(_ log: any ActionLog = InMemoryActionLog()) {
        wrapped = log
        begun = Milestones()
    }

    /// What was asked of the log so far.
    public var counts: Counts { script.withLock { $0.counts } }

    /// Lets the next appends fail; several calls stand in line.
    public func failNext(_ count: Int = 1, with error: ActionLogError = fullDisk, _ moment: Moment = .before) {
        script.withLock { $0.faults += Array(repeating: (error, moment), count: count) }
    }

    /// Lets every `count`th append fail, counted from now.
    public func failEvery(_ count: Int, with error: ActionLogError = fullDisk, _ moment: Moment = .before) {
        precondition(count > 0, "every append is 1")
        script.withLock { $0.rhythm = (count, $0.counts.appends, error, moment) }
    }

    /// Lets reads fail from a sequence on; what is before it is still read.
    public func damage(_ sequence: UInt64, with error: ActionLogError? = nil) {
        script.withLock { $0.damage = (sequence, error ?? .damaged(sequence: sequence, what: "the payload")) }
    }

    /// Says how much can still be written; `nil`: what the wrapped log says.
    public func pretend(_ headroom: Headroom?) { script.withLock { $0.headroom = headroom } }

    /// Ends all faults and all damage.
    public func mend() {
        script.withLock { script in
            script.faults = []
            script.rhythm = nil
            script.lasting = nil
            script.damage = nil
            script.headroom = nil
        }
    }

    /// Holds appends up, and with them the thread that asks, until `release()`.
    public func hold() { script.withLock { $0.gate = $0.gate ?? DispatchSemaphore(value: 0) } }

    /// Lets held appends go on.
    public func release() {
        script.withLock { script in
            defer { script.gate = nil }
            return script.gate
        }?.signal()
    }

    /// Holds reads of records up, and with them the thread that asks, until `releaseReads()`.
    public func holdReads() { script.withLock { $0.readGate = $0.readGate ?? DispatchSemaphore(value: 0) } }

    /// Lets held reads go on.
    public func releaseReads() {
        script.withLock { script in
            defer { script.readGate = nil }
            return script.readGate
        }?.signal()
    }

    /// Suspends until that many appends were begun since the log was made, held ones too.
    ///
    /// - Throws: as soon as the task is cancelled.
    public func appending(_ count: Int) async throws(CancellationError) { try await begun.reached(count) }

    /// Appends to the wrapped log, unless it is this append's turn to fail.
    public func append(_ flush: Flush) throws(ActionLogError) {
        let (gate, fault, count) = script.withLock { script in
            script.counts.appends += 1
            return (script.gate, Self.nextFault(&script), script.counts.appends)
        }
        begun.reach(count)
        Self.pass(gate)
        do throws(ActionLogError) {
            if let fault, fault.moment == .before { throw fault.error }
            try wrapped.append(flush)
            script.withLock { $0.counts.flushes.append(flush.recordCount) }
            if let fault { throw fault.error }
        } catch {
            script.withLock { script in
                script.counts.failures += 1
                if case .unknownOutcome = error { script.lasting = error }
            }
            throw error
        }
    }

    // Passed on, because several threads may wait at one gate.
    private static func pass(_ gate: DispatchSemaphore?) {
        gate?.wait()
        gate?.signal()
    }

    private static func nextFault(_ script: inout Script) -> (error: ActionLogError, moment: Moment)? {
        if let lasting = script.lasting { return (lasting, .before) }
        if !script.faults.isEmpty { return script.faults.removeFirst() }
        guard let rhythm = script.rhythm, (script.counts.appends - rhythm.since).isMultiple(of: rhythm.every) else { return nil }
        return (rhythm.error, rhythm.moment)
    }
}

extension FailingLog {
    /// Reads from the wrapped log, up to the damage if there is any.
    public func read(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (RecordHeader, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        var room = recordsMax
        return try untilDamage(from: first, through: last) { last, isWanted throws(ActionLogError) in
            try wrapped.read(from: first, through: last, recordsMax: recordsMax, bytesMax: bytesMax) { header, payload in
                room -= 1
                isWanted = body(header, payload) && room > 0
                return isWanted
            }
        }
    }

    /// Folds the wrapped log, up to the damage if there is any.
    public func fold(
        from first: UInt64, through last: UInt64, _ body: (HeaderFields, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try untilDamage(from: first, through: last) { last, isWanted throws(ActionLogError) in
            try wrapped.fold(from: first, through: last) { fields, payload in
                isWanted = body(fields, payload)
                return isWanted
            }
        }
    }

    /// Reads from the wrapped log, up to the damage if there is any.
    public func sealed(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (SealedRecord) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        var room = recordsMax
        return try untilDamage(from: first, through: last) { last, isWanted throws(ActionLogError) in
            try wrapped.sealed(from: first, through: last, recordsMax: recordsMax, bytesMax: bytesMax) { record in
                room -= 1
                isWanted = body(record) && room > 0
                return isWanted
            }
        }
    }

    private func untilDamage(
        from first: UInt64, through last: UInt64,
        _ read: (_ last: UInt64, _ isWanted: inout Bool) throws(ActionLogError) -> UInt64
    ) throws(ActionLogError) -> UInt64 {
        Self.pass(script.withLock { $0.readGate })
        var isWanted = true
        guard let (sequence, error) = script.withLock({ $0.damage }), (first...max(first, last)).contains(sequence) else {
            return try read(last, &isWanted)
        }
        guard sequence > first else { throw error }
        let next = try read(sequence - 1, &isWanted)
        if next == sequence, isWanted { throw error }
        return next
    }

    /// What the wrapped log does.
    public func redact(_ payloads: [(sequence: UInt64, payload: [UInt8])]) throws(ActionLogError) {
        try wrapped.redact(payloads)
    }

    /// What the test pretends, else what the wrapped log says.
    public func headroom() -> Headroom { script.withLock { $0.headroom } ?? wrapped.headroom() }
}
