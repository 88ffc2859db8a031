import ChronicleLog
import ChronicleStore
import ChronicleValues
import Logging
import Synchronization

/// Writes the head of the action log to the daemon's log, so that the two can be compared later.
final class HeadLogger: Sendable {
    /// Maximum time until a changed head is logged, unless a snapshot logs it.
    static let pause: Duration = .seconds(3600)

    private let last = Mutex<HeadCheckpoint?>(nil)
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    var sequence: UInt64? { last.withLock { $0?.sequence } }

    func tell(_ head: HeadCheckpoint) {
        let isNew = last.withLock { last in
            defer { last = head }
            return last != head
        }
        if isNew { logger.info("Head", metadata: ["head": "\(head)", "sequence": "\(head.sequence)"]) }
    }

    func tellEnd<State: CanonicalCodable>(_ end: CommittedState<State>, of log: any ActionLog) {
        // The last snapshot has logged it already.
        guard sequence != end.sequence, let chain = try? log.checksum(of: end.sequence) else { return }
        let digest = end.state.digestAndByteCount.digest
        tell(HeadCheckpoint(sequence: end.sequence, chain: chain, digest: digest, redactions: end.redactions))
    }
}
