import LinuxService
import StoreRuntime
import TodoAPI
import Varlink
import VarlinkNIO

/// Lets calls through to their handlers: whoever may not call a method is refused, and what is done with the right to administer is told.
///
/// It knows the handlers as closures: what is generic in the app was compiled for the app where they were made, and would not be where
/// the server calls a handler of a generic type.
struct Admission: VarlinkHandler {
    /// Who may do what; a reload puts another admission in the place of this one.
    var access: AccessList
    /// How many arrays and objects may stand inside each other in a frame.
    let depthMax: Int
    let audit = Audit()
    let refusals: Refusals
    let dispatch: @Sendable (DispatchMethod.Input, Peer, ReplyHandle) -> Void
    let perform: @Sendable (KnownMethod, Call, Peer, ReplyHandle) throws(APIError) -> Void

    func refusal(of peer: Peer) -> CallError? {
        access.access(of: peer.uid) == .none ? .permissionDenied : nil
    }

    func noticed(_ event: ServerEvent) {
        switch event {
        case .descriptorShortage(let errno): refusals.noteDescriptorShortage(errno: errno)
        case .connectionsReleased: FreeMemory.giveBack()
        }
    }

    func read(_ frame: Span<UInt8>) -> (any Sendable)? { DispatchMethod.Input(plain: frame, depthMax: depthMax) }

    func handle(read input: any Sendable, from peer: Peer, reply: ReplyHandle) {
        guard let input = input as? DispatchMethod.Input else { return reply.fail(CallError.methodNotImplemented("")) }
        admit(.write, from: peer, reply) { dispatch(input, peer, reply) }
    }

    func handle(_ call: Call, from peer: Peer, reply: ReplyHandle) {
        guard let method = KnownMethod.named[call.method] else {
            return reply.fail(CallError.methodNotImplemented(String(call.methodName)))
        }
        let reply = told(reply, of: call, needing: method.right, from: peer)
        admit(method.right, from: peer, reply) { () throws(APIError) in try perform(method, call, peer, reply) }
    }

    func refuse(_ call: Call, with error: CallError, from peer: Peer, reply: ReplyHandle) {
        guard let right = KnownMethod.named[call.method]?.right else { return reply.fail(error) }
        let reply = told(reply, of: call, needing: right, from: peer)
        admit(right, from: peer, reply) {
            note(error.name, needing: right, from: peer)
            reply.fail(error)
        }
    }

    /// Goes on with a call if the peer has the right to it.
    private func admit(
        _ right: MethodRight, from peer: Peer, _ reply: ReplyHandle, _ body: () throws(APIError) -> Void
    ) {
        do throws(APIError) {
            guard access.access(of: peer.uid).includes(right) else { throw .permissionDenied }
            try body()
        } catch {
            note(error.name, needing: right, from: peer)
            reply.fail(error)
        }
    }

    /// A handle that sees to the line in the journal of a call that needs the right to administer.
    private func told(_ reply: ReplyHandle, of call: Call, needing right: MethodRight, from peer: Peer) -> ReplyHandle {
        right == .administer ? audit.watching(reply, of: call, from: peer) : reply
    }

    // Of a call that needs the right to administer the audit takes note.
    private func note(_ name: String, needing right: MethodRight, from peer: Peer) {
        if right != .administer { refusals.note(name, from: peer.uid) }
    }
}

extension Access {
    /// Whether it covers what a method needs.
    fileprivate func includes(_ right: MethodRight) -> Bool {
        switch right {
        case .read: self >= .read
        case .write: self >= .readWrite
        case .administer: self >= .administer
        }
    }
}
