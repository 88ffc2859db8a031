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
final class TodoService: VarlinkHandler {
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
        admit(call, needing: right, from: peer, reply) { reply throws(APIError) in try start(call, from: peer, reply) }
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

    private func start(_ call: Call, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        switch call.method {
        case DispatchMethod.name: dispatch(try .init(input: call.parameters), from: peer, reply)
        case OpenMethod.name: try open(try .init(input: call.parameters), from: peer, reply)
        case GetStateMethod.name: getState(try .init(input: call.parameters), reply)
        case ViewMethod.name: view(try .init(input: call.parameters), reply)
        case SubscribeMethod.name: try subscribe(try .init(input: call.parameters), reply)
        case LogMethod.name: try log(try .init(input: call.parameters), reply)
        case SetBookmarkMethod.name: try bookmark(.init(input: call.parameters), by: peer.uid, reply)
        case RemoveBookmarkMethod.name: try removeBookmark(.init(input: call.parameters), by: peer.uid, reply)
        case BookmarksMethod.name: bookmarks(reply)
        case DiffMethod.name: try diff(.init(input: call.parameters), reply)
        case WhyMethod.name: why(try .init(input: call.parameters), reply)
        case BisectMethod.name: try bisect(.init(input: call.parameters), reply)
        case BlameMethod.name: try blame(.init(input: call.parameters), reply)
        case CheckMethod.name: try check(.init(input: call.parameters), reply)
        case VerifyMethod.name: verify(reply)
        case ExportMethod.name: try export(try .init(input: call.parameters), reply)
        case UploadMethod.name, ImportMethod.name: try file(call, by: peer.uid, reply)
        case CompactMethod.name: try compact(.init(input: call.parameters), reply)
        case RedactMethod.name: try redact(.init(input: call.parameters), reply)
        case BackupMethod.name: try backup(.init(input: call.parameters), reply)
        case WhatIfMethod.name: try whatIf(.init(input: call.parameters), by: peer.uid, reply)
        case StatusMethod.name: status(reply)
        case ClientsMethod.name: clients(reply)
        case PingMethod.name: ping(reply)
        case MetricsMethod.name: metrics(reply)
        case CommandsMethod.name: commands(reply)
        case RetryCommandMethod.name, SkipCommandMethod.name, CancelCommandMethod.name, HoldMethod.name, ReleaseMethod.name:
            try order(call, by: peer.uid, reply)
        case UndoMethod.name, RedoMethod.name, RevertMethod.name: try rewrite(call, from: peer, reply)
        case DebugMethod.name: try debug(.init(input: call.parameters), reply)
        case DebugTailMethod.name: try debugTail(reply)
        default: reply.fail(CallError.methodNotImplemented(String(call.methodName)))
        }
    }

    private func rewrite(_ call: Call, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        switch call.method {
        case UndoMethod.name: try undo(.init(input: call.parameters), from: peer, reply)
        case RedoMethod.name: try redo(.init(input: call.parameters), from: peer, reply)
        default: try revert(.init(input: call.parameters), from: peer, reply)
        }
    }

    private func order(_ call: Call, by uid: UInt32, _ reply: ReplyHandle) throws(APIError) {
        switch call.method {
        case RetryCommandMethod.name: try retryCommand(.init(input: call.parameters), by: uid, reply)
        case SkipCommandMethod.name: try skipCommand(.init(input: call.parameters), by: uid, reply)
        case CancelCommandMethod.name: try cancelCommand(.init(input: call.parameters), by: uid, reply)
        case HoldMethod.name: hold(by: uid, reply)
        default: release(by: uid, reply)
        }
    }
}
