public import ChronicleLog
import ChronicleStore
import Dispatch

/// A log with scripted faults and delays that counts its calls.
///
/// Once it threw `unknownOutcome`, it throws that for every further append, as a real log does, until `mend()`.
public final class FailingLog: ForwardingLog {
    public enum Moment: Sendable, Equatable {
        /// Nothing reaches the wrapped log.
        case before
        /// The wrapped log has the flush, but the caller gets an error: an unknown outcome.
        case after
    }

    public struct Counts: Sendable, Equatable {
        /// Started appends, including held ones.
        public var appends = 0
        /// Appends that threw any error.
        public var failures = 0
        /// The number of records of each successful append.
        public var flushes: [Int] = []
    }

    public static let fullDisk = ActionLogError.storageFull(.disk, message: "no space left on device")
    public static let unknownOutcome = ActionLogError.unknownOutcome(what: "the commit: input/output error")

    private struct Script {
        var counts = Counts()
        var faults: [(error: ActionLogError, moment: Moment)] = []
        var rhythm: (every: Int, since: Int, error: ActionLogError, moment: Moment)?
        var lasting: ActionLogError?
        var damage: (sequence: UInt64, error: ActionLogError)?
        var headroom: FreeSpace?
        var gate: DispatchSemaphore?
        var readGate: DispatchSemaphore?
    }

    public let wrapped: any ActionLog
    private let script = Monitor(Script())

    public init(_ log: any ActionLog = InMemoryActionLog()) { wrapped = log }

    public var counts: Counts { script.value.counts }

    /// Makes the next appends fail; calls queue up.
    public func failNext(_ count: Int = 1, with error: ActionLogError = fullDisk, _ moment: Moment = .before) {
        script.withLock { $0.faults += Array(repeating: (error, moment), count: count) }
    }

    /// Makes every `count`th append from now fail.
    public func failEvery(_ count: Int, with error: ActionLogError = fullDisk, _ moment: Moment = .before) {
        precondition(count > 0, "every append is 1")
        script.withLock { $0.rhythm = (count, $0.counts.appends, error, moment) }
    }

    /// Makes reads from a sequence on fail.
    public func damage(_ sequence: UInt64, with error: ActionLogError? = nil) {
        script.withLock { $0.damage = (sequence, error ?? .damaged(sequence: sequence, what: "the payload")) }
    }

    /// Overrides the reported free space; `nil` reports that of the wrapped log.
    public func pretend(_ headroom: FreeSpace?) { script.withLock { $0.headroom = headroom } }

    public func mend() {
        script.withLock { script in
            script.faults = []
            script.rhythm = nil
            script.lasting = nil
            script.damage = nil
            script.headroom = nil
        }
    }

    /// Blocks appends, and the calling thread, until `release()`.
    public func hold() { script.withLock { $0.gate = $0.gate ?? DispatchSemaphore(value: 0) } }

    public func release() {
        script.withLock { script in
            defer { script.gate = nil }
            return script.gate
        }?.signal()
    }

    /// Blocks reads of records, and the calling thread, until `releaseReads()`.
    public func holdReads() { script.withLock { $0.readGate = $0.readGate ?? DispatchSemaphore(value: 0) } }

    public func releaseReads() {
        script.withLock { script in
            defer { script.readGate = nil }
            return script.readGate
        }?.signal()
    }

    /// Suspends until this many appends have started since the log was made, including held ones; throws when the task is cancelled.
    public func appending(_ count: Int) async throws(CancellationError) {
        let isReached = await script.waitUnlessCancelled { $0.counts.appends >= count ? true : nil }
        if isReached == nil { throw CancellationError() }
    }

    public func append(_ flush: Flush) throws(ActionLogError) {
        let (gate, fault) = script.withLock { script in
            script.counts.appends += 1
            return (script.gate, Self.nextFault(&script))
        }
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

    // Passes the signal on, because several threads may wait at one gate.
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

    public func walk(
        _ walk: RecordWalk, _ body: (RawSpan, RecordCheck, UInt64) throws(ActionLogError) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        // A look-up of one record's checksum or time.
        guard walk.isLinked else { return try wrapped.walk(walk, body) }
        Self.pass(script.value.readGate)
        guard let (sequence, error) = script.value.damage, walk.covers(sequence) else {
            return try wrapped.walk(walk, body)
        }
        guard sequence > walk.next else { throw error }
        var (intact, room, isWanted) = (walk, walk.recordsLeft, true)
        intact.end(at: sequence - 1)
        let next = try wrapped.walk(intact) { (value, check, sequence) throws(ActionLogError) in
            room -= 1
            isWanted = try body(value, check, sequence) && room > 0
            return isWanted
        }
        if next == sequence, isWanted { throw error }
        return next
    }

    public func redact(_ payloads: [(sequence: UInt64, payload: [UInt8])]) throws(ActionLogError) { try wrapped.redact(payloads) }

    public func headroom() -> FreeSpace { script.value.headroom ?? wrapped.headroom() }
}
