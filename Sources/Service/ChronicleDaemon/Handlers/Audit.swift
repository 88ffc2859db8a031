import LinuxService
import Logging
import Synchronization
import TodoAPI
import Varlink
import VarlinkNIO

/// Logs every call that needs the right to administer, with its user and its outcome.
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

    /// A handle that answers the call and logs it once.
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
