import ChronicleStore
import LinuxService
import TodoAPI
import Varlink
import VarlinkNIO

/// Checks the access of a caller before a handler runs, and logs administrative calls.
///
/// The handlers are closures, because generic code is specialized for the app where a closure is created, but not where the server calls
/// a handler of a generic type.
struct Admission: VarlinkHandler {
    var access: AccessList
    let audit = Audit()
    let refusals: Refusals
    let names: ServedNames
    let opening: [UInt8]
    let dispatch: @Sendable (DispatchMethod.Input, Peer, ReplyHandle) -> Void
    let perform: @Sendable (KnownMethod, Call, Peer, ReplyHandle) throws(APIError) -> Void

    func refusal(of peer: Peer) -> CallError? { access.access(of: peer.uid) == .none ? .permissionDenied : nil }

    func noticed(_ event: ServerEvent) {
        switch event {
        case .descriptorShortage(let errno): refusals.noteDescriptorShortage(errno: errno)
        case .connectionsReleased: FreeMemory.giveBack()
        }
    }

    func read(_ frame: Span<UInt8>) -> (any Sendable)? {
        DispatchMethod.Input(plain: frame, opening: opening)
    }

    func handle(read input: any Sendable, from peer: Peer, reply: ReplyHandle) {
        guard let input = input as? DispatchMethod.Input else { return reply.fail(CallError.methodNotImplemented("")) }
        admit(.write, from: peer, reply) { dispatch(input, peer, reply) }
    }

    func handle(_ call: Call, from peer: Peer, reply: ReplyHandle) {
        admit(call, from: peer, reply) { (method, _, reply) throws(APIError) in try perform(method, call, peer, reply) }
    }

    func refuse(_ call: Call, with error: CallError, from peer: Peer, reply: ReplyHandle) {
        guard names.methods[call.method] != nil else { return reply.fail(error) }
        admit(call, from: peer, reply) { _, right, reply in
            note(error.name, needing: right, from: peer)
            reply.fail(error)
        }
    }

    /// Continues a call if the peer has the required access, and logs an administrative call when it is answered.
    private func admit(
        _ call: Call, from peer: Peer, _ reply: ReplyHandle,
        _ body: (KnownMethod, MethodRight, ReplyHandle) throws(APIError) -> Void
    ) {
        guard let method = names.methods[call.method] else {
            return reply.fail(CallError.methodNotImplemented(String(call.methodName)))
        }
        let right = method.right(for: call.parameters)
        let reply = right == .administer ? audit.watching(reply, of: call, method, from: peer) : reply
        admit(right, from: peer, reply) { () throws(APIError) in try body(method, right, reply) }
    }

    private func admit(_ right: MethodRight, from peer: Peer, _ reply: ReplyHandle, _ body: () throws(APIError) -> Void) {
        do throws(APIError) {
            guard access.access(of: peer.uid).includes(right) else { throw .permissionDenied }
            try body()
        } catch {
            let error = names.error(error)
            note(error.name, needing: right, from: peer)
            reply.fail(error)
        }
    }

    // Administrative calls are logged by the audit.
    private func note(_ name: String, needing right: MethodRight, from peer: Peer) {
        if right != .administer { refusals.note(name, from: peer.uid) }
    }
}

extension Access {
    fileprivate func includes(_ right: MethodRight) -> Bool {
        switch right {
        case .read: self >= .read
        case .write: self >= .readWrite
        case .administer: self >= .administer
        }
    }
}
