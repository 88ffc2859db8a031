import AppFeature
import DaemonProcess
import Logging
import StoreRuntime
import Synchronization
import TimeTravel
import TodoAPI
import Varlink
import VarlinkNIO

/// Answers the methods of our interfaces: one file a method.
final class TodoService: VarlinkHandler, MethodHandlers {
    let store: Store<App>
    let timeline: Timeline<App>
    let files: HistoryFiles
    let facts: DaemonFacts
    let daemonMetrics: DaemonMetrics
    let debugging: Debugging
    /// Who follows the state, by scope.
    let audiences: [Audience]
    private let access: AccessList
    private let audit: Audit
    private let refusals: Refusals

    init(
        store: Store<App>, timeline: Timeline<App>, files: HistoryFiles, facts: DaemonFacts, access: AccessList,
        metrics: DaemonMetrics, debugging: Debugging, logger: Logger
    ) {
        self.store = store
        self.timeline = timeline
        self.files = files
        self.facts = facts
        self.access = access
        audit = Audit()
        refusals = Refusals(logger)
        daemonMetrics = metrics
        self.debugging = debugging
        audiences = Audience.all
    }

    /// The same service with other rights.
    init(_ service: TodoService, access: AccessList) {
        store = service.store
        timeline = service.timeline
        files = service.files
        facts = service.facts
        self.access = access
        audit = service.audit
        refusals = service.refusals
        daemonMetrics = service.daemonMetrics
        debugging = service.debugging
        audiences = service.audiences
    }

    /// Takes note of a refused call.
    func note(_ error: APIError, from peer: Peer) { refusals.note(error.name, from: peer.uid) }

    func refusal(of peer: Peer) -> CallError? {
        access.access(of: peer.uid) == .none ? .permissionDenied : nil
    }

    func read(_ frame: Span<UInt8>) -> (any Sendable)? { DispatchMethod.Input(plain: frame) }

    func handle(read input: any Sendable, from peer: Peer, reply: ReplyHandle) {
        guard let input = input as? DispatchMethod.Input else { return reply.fail(CallError.methodNotImplemented("")) }
        do throws(APIError) {
            try require(.write, of: peer)
            dispatch(input, from: peer, reply)
        } catch {
            note(error, from: peer)
            reply.fail(error)
        }
    }

    private func require(_ right: MethodRight, of peer: Peer) throws(APIError) {
        guard access.access(of: peer.uid).includes(right) else { throw .permissionDenied }
    }

    func refuse(_ call: Call, with error: CallError, from peer: Peer, reply: ReplyHandle) {
        guard let right = MethodRight.needed[call.method] else { return reply.fail(error) }
        admit(call, needing: right, from: peer, reply) { reply throws(APIError) in
            // Of a call that needs the right to administer the audit takes note.
            if right != .administer { refusals.note(error.name, from: peer.uid) }
            reply.fail(error)
        }
    }

    func handle(_ call: Call, from peer: Peer, reply: ReplyHandle) {
        guard let right = MethodRight.needed[call.method] else {
            return reply.fail(CallError.methodNotImplemented(String(call.methodName)))
        }
        admit(call, needing: right, from: peer, reply) { reply throws(APIError) in
            try perform(call.method, call.parameters, from: peer, reply)
        }
    }

    /// Goes on with a call if the peer has the right to it, with a handle that sees to its line in the journal.
    private func admit(
        _ call: Call, needing right: MethodRight, from peer: Peer, _ reply: ReplyHandle,
        _ body: (ReplyHandle) throws(APIError) -> Void
    ) {
        let reply = right == .administer ? audit.watching(reply, of: call, from: peer) : reply
        do throws(APIError) {
            try require(right, of: peer)
            try body(reply)
        } catch {
            if right != .administer { note(error, from: peer) }
            reply.fail(error)
        }
    }
}
