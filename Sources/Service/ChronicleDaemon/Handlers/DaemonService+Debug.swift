import Chronicle
import ChronicleLog
import ChronicleStore
import Synchronization
import TimeTravel
import TodoAPI
import Varlink
import VarlinkNIO

extension DaemonService {
    func debug(_ input: DebugMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard scopes.features.contains(where: { $0.hasSameBytes(as: input.feature) }) else {
            throw .unknownFeature(input.feature.asName, known: scopes.features)
        }
        reply.succeed(DebugMethod.Output(features: debugging.turn(input.feature, on: input.on)))
    }

    func debugTail(_ input: DebugTailMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard reply.more else { throw .expectedMore }
        answer(reply) { [debugging] stream in
            try await debugging.follow { try await stream.send($0) }
        }
    }
}

/// Reports the actions and changes of selected features from committed records, so the store does no extra work.
final class Debugging<App: DaemonApp>: Sendable {
    private struct Switches {
        var features: Set<String> = []
        /// While no feature is enabled: gets the state of the moment when one is.
        var wait: Wait? = Wait()
    }

    private typealias Wait = OneShotEvent<CommittedState<App.State>>

    private let store: Store<App>
    private let history: History<App>
    private let switches = Mutex(Switches())

    init(of store: Store<App>, _ history: History<App>) {
        (self.store, self.history) = (store, history)
    }

    var debugged: [String] { switches.withLock { $0.features.sorted() } }

    func turn(_ feature: String, on: Bool) -> [String] {
        // Read first, so that every action after the answer is reported.
        let present = store.present
        return switches.withLock { switches in
            if on { switches.features.insert(feature) } else { switches.features.remove(feature) }
            if on { switches.wait.take()?.open(present) }
            if switches.features.isEmpty, switches.wait == nil { switches.wait = Wait() }
            return switches.features.sorted()
        }
    }

    /// Reports each record of the enabled features until the task ends; while none is enabled, records cost nothing.
    func follow(_ deliver: (DebugTailMethod.Output) async throws -> Void) async throws {
        var wait = switches.withLock { $0.wait }
        while true {
            var present: CommittedState<App.State>? = store.present
            if let wait { present = await wait.wait() }
            guard let present else { throw CancellationError() }
            do { try await follow(from: present, deliver) } catch let off as IsOff { wait = off.wait }
        }
    }

    private struct IsOff: Error { let wait: Wait }
    private struct WasRedacted: Error {}

    private func follow(
        from present: CommittedState<App.State>, _ deliver: (DebugTailMethod.Output) async throws -> Void
    ) async throws {
        var (state, last, redactions) = (present.state, present.sequence, present.redactions)
        while true {
            do {
                return try await store.watchRecords(from: last + 1, scope: nil) { records, _ in
                    records
                } deliver: { [store] records in
                    for record in records {
                        if let wait = switches.withLock({ $0.wait }) { throw IsOff(wait: wait) }
                        // Records that were read before a redaction, and states made from them, may hold the redacted texts.
                        guard store.present.redactions == redactions else { throw WasRedacted() }
                        let header = record.header
                        last = header.sequence
                        guard let action = record.action else { continue }
                        let before = state
                        _ = App.reduce(&state, action, Context(time: header.time, origin: header.origin))
                        if let told = told(action, header, from: before, to: state) { try await deliver(told) }
                    }
                }
            } catch is WasRedacted {
                redactions = store.present.redactions
                state = try await history.state(at: .sequence(last)).state
            }
        }
    }

    private func told(
        _ action: App.Action, _ header: RecordHeader, from before: App.State, to after: App.State
    ) -> DebugTailMethod.Output? {
        let value = action.value
        guard case .record(let fields) = value, let feature = fields.first?.name,
            switches.withLock({ $0.features.contains(feature) })
        else { return nil }
        let changes = App.changes(from: before, to: after, limit: DebugLines.changesMax)
        return DebugTailMethod.Output(
            sequence: header.sequence, time: header.time, feature: feature, action: value,
            lines: DebugLines.lines(of: changes), origin: header.origin
        ).fitting()
    }
}
