import ChronicleStore
import LinuxService
import Logging
import Synchronization
import TodoAPI
import Varlink
import VarlinkNIO

/// Checks the access of a caller before a handler runs, and logs administrative calls.
///
/// The handlers are closures: generic code is specialized for the app where a closure is created, but not in a generic handler.
struct AuthorizationMiddleware: VarlinkHandler {
    let access: AccessList
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

final class Audit: Sendable {
    private let logger: Logger
    /// One limiter per user, so that no user can hide the refusals of another.
    private let refusals = Mutex<[UInt32: RefusalLimiter]>([:])
    private static let usersMax = 4096

    init() {
        // Independent of the configured level: administrators rely on these lines.
        var logger = Logger(label: "audit")
        logger.logLevel = .notice
        self.logger = logger
    }

    func watching(_ reply: ReplyHandle, of call: Call, _ method: KnownMethod, from peer: Peer) -> ReplyHandle {
        var metadata: Logger.Metadata = ["method": "\(call.method)", "uid": "\(peer.uid)", "pid": "\(peer.pid)"]
        for name in Self.told[method] ?? [] {
            if let value = call.parameters[name] { metadata[name] = "\(Self.short(value.text ?? value.description))" }
        }
        // Only the first part of an upload is logged.
        let isFurther = method == .upload && call.parameters["upload"].map { !$0.isNull } ?? false
        return reply.noticingEnd { [self, metadata] error in
            if isFurther, error == nil { return }
            note(error, by: peer.uid, metadata)
        }
    }

    private func note(_ error: CallError?, by uid: UInt32, _ metadata: Logger.Metadata) {
        var metadata = metadata
        metadata["outcome"] = "\(error?.name ?? "done")"
        guard let error else { return logger.notice("Administered", metadata: metadata) }
        // Repeated refusals must not fill the journal: after a hundred there is one line per 10 seconds.
        let (isExceeded, line) = refusals.withLock { refusals in
            if refusals.count >= Self.usersMax, refusals[uid] == nil { refusals = [:] }
            let line = refusals[uid, default: RefusalLimiter()].line(refusing: error.name, uid: uid, now: .now)
            return (refusals[uid]?.isExceeded ?? false, line)
        }
        if let line { logger.warning("\(line)") }
        if !isExceeded { logger.warning("Not administered", metadata: metadata) }
    }

    /// Shortens a value, so that the lines of one user don't displace those of others.
    private static func short(_ text: String) -> String {
        guard text.utf8.count > valueBytesMax else { return text }
        return String(decoding: text.utf8.prefix(valueBytesMax), as: UTF8.self) + "…"
    }

    private static let valueBytesMax = 512

    /// Parameters to log; none of them contains text written by people.
    private static let told: [KnownMethod: [String]] = [
        .redact: ["sequence", "dryRun"],
        .redactTexts: ["feature", "id", "dryRun"],
        .compact: ["dryRun"],
        .import: ["upload", "dryRun", "risky"],
        .upload: ["upload"],
        .backup: ["directory"],
        .debug: ["feature", "on"],
        .changeCommand: ["operation"],
        .hold: ["on"],
        .lock: ["on"],
    ]
}
