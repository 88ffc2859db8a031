import LinuxService
import Logging
import Synchronization
import TodoAPI
import Varlink
import VarlinkNIO

/// Leaves a line in the journal of every call that needs the right to administer: whose it was, and what came of it.
final class Audit: Sendable {
    private let logger: Logger
    /// Of each user by itself, so that nobody hides what another is refused.
    private let refusals = Mutex<[UInt32: RefusalLimiter]>([:])
    private static let usersMax = 4096

    init() {
        // Whatever the level of the rest is: who reads the journal of a machine relies on these.
        var logger = Logger(label: "audit")
        logger.logLevel = .notice
        self.logger = logger
    }

    /// A handle that answers the call and then has the line written, once.
    func watching(_ reply: ReplyHandle, of call: Call, from peer: Peer) -> ReplyHandle {
        var metadata: Logger.Metadata = ["method": "\(call.method)", "uid": "\(peer.uid)", "pid": "\(peer.pid)"]
        for name in Self.told[call.method] ?? [] {
            if let value = call.parameters[name] { metadata[name] = "\(Self.short(value.text ?? value.description))" }
        }
        // An upload is told of when it begins; its further pieces say nothing new.
        let isFurther = call.method == UploadMethod.name && call.parameters["upload"].map { !$0.isNull } ?? false
        return reply.noticingEnd { [self, metadata] error in
            if isFurther, error == nil { return }
            note(error, by: peer.uid, metadata)
        }
    }

    private func note(_ error: CallError?, by uid: UInt32, _ metadata: Logger.Metadata) {
        var metadata = metadata
        metadata["outcome"] = "\(error?.name ?? "done")"
        guard let error else { return logger.notice("Administered", metadata: metadata) }
        // Who is refused in a loop must not fill the journal: after a hundred there is one line for all of 10 seconds.
        let (isExceeded, line) = refusals.withLock { refusals in
            if refusals.count >= Self.usersMax, refusals[uid] == nil { refusals = [:] }
            let line = refusals[uid, default: RefusalLimiter()].line(refusing: error.name, uid: uid, now: .now)
            return (refusals[uid]?.isExceeded ?? false, line)
        }
        if let line { logger.warning("\(line)") }
        if !isExceeded { logger.warning("Not administered", metadata: metadata) }
    }

    /// So much of a value that lines of one user leave room for those of all others, whoever may write nothing else.
    private static func short(_ text: String) -> String {
        guard text.utf8.count > valueBytesMax else { return text }
        return String(decoding: text.utf8.prefix(valueBytesMax), as: UTF8.self) + "…"
    }

    private static let valueBytesMax = 512

    /// The parameters that say what was done, and hold nothing that a person wrote.
    private static let told = [
        RedactMethod.name: ["sequence", "dryRun"],
        RedactTextsMethod.name: ["feature", "id", "dryRun"],
        CompactMethod.name: ["dryRun"],
        ImportMethod.name: ["upload", "dryRun", "risky"],
        UploadMethod.name: ["upload"],
        BackupMethod.name: ["directory"],
        DebugMethod.name: ["feature", "on"],
    ]
}
