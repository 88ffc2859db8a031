import Logging
import Records
import StoreRuntime
import Synchronization
import Values

/// Tells the daemon's log where the log of actions ends, so that the one can be held against the other later.
final class HeadJournal: Sendable {
    /// After a change it is told in this time, if no snapshot was taken.
    static let pause: Duration = .seconds(3600)

    private let last = Mutex<AnchoredHead?>(nil)
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    /// The record that was told last.
    var sequence: UInt64? { last.withLock { $0?.sequence } }

    /// Tells a head, unless it is the one that was told last.
    func tell(_ head: AnchoredHead) {
        let isNew = last.withLock { last in
            defer { last = head }
            return last != head
        }
        if isNew { logger.info("Head", metadata: ["head": "\(head)", "sequence": "\(head.sequence)"]) }
    }

    /// Tells where the log ended when the daemon stopped.
    func tellEnd<State: CanonicalCodable>(_ end: CommittedState<State>, of log: any ActionLog) {
        // With the last snapshot it was told already.
        guard sequence != end.sequence, let chain = try? log.checksum(of: end.sequence) else { return }
        let digest = end.state.digestAndByteCount.digest
        tell(AnchoredHead(sequence: end.sequence, chain: chain, digest: digest, redactions: end.redactions))
    }
}
