import ArgumentParser
import Chronicle
import Dates
import Glibc
import TodoAPI

/// A request to a source, from the dispatch to the end of its command.
final class SourceRequest {
    private let session: Session
    private let order: SourceOrder
    // A second connection for the status of the command.
    private let asking: Client
    private let epoch: UInt64
    // The record of the request, and the first unread record.
    private let asked: UInt64
    private var next: UInt64
    // The command, and the last identical one: if it replaced the first, its result counts.
    private var command: CommandID?
    private var latest: CommandID?
    private var end: RecordMessage?
    // Since when there is no known reason for the delay.
    private var since = Clock.uptime()
    private var progress = Progress()
    // Whether the status of the command may have changed.
    private var isStale = true
    private var told: String?

    private static let pollMilliseconds: Int32 = 1_000

    init(_ order: SourceOrder, _ session: Session) throws(Failure) {
        self.order = order
        self.session = session
        asking = try session.client.another(patience: Client.followingPatience)
        let answer = try session.dispatch([order.action])
        guard let first = answer.sequences.first else { throw Failure.unexpected("The daemon logged no request.") }
        epoch = answer.epoch
        asked = first
        next = first
    }

    /// Waits for the end, also over restarts of the daemon, and prints the result.
    ///
    /// - Throws: why there is no result, or that the command is parked for a person.
    func finish() throws(Failure) {
        session.client.whileWaiting = { [self] descriptor throws(Failure) in try wait(on: descriptor) }
        defer { session.client.whileWaiting = nil }
        let input = { [self] in SubscribeMethod.Input(from: Point(sequence: next), kind: "records", epoch: epoch) }
        do throws(Failure) {
            try session.client.follow(SubscribeMethod.self, input, isLive: true) { [self] answer throws(Failure) in
                try take(answer.output())
            }
        } catch {
            throw FollowState.explained(error, "To see whether it is still pending: todoctl commands")
        }
        guard let end else { throw Failure.unexpected("The daemon did not report the result of the request.") }
        if let failure = order.failure(end) { throw failure }
        guard !session.isJSON else { return }
        session.output.line(order.success(end))
        session.show(session.undoHint(asked))
    }

    private func take(_ reply: SubscribeMethod.Output) throws(Failure) -> Demand {
        for record in reply.records {
            next = record.sequence + 1
            if let id = record.commands.first(where: { $0.name.hasSameBytes(as: order.command) })?.id {
                latest = id
                if record.sequence == asked { command = id }
            }
            if ["hold", "release"].contains(record.kind) { (isStale, since) = (true, Clock.uptime()) }
            guard record.sequence == asked || record.cause != nil && record.cause == command else { continue }
            isStale = true
            if session.isJSON { session.output.json(record) }
            guard record.kind == "end" else { continue }
            guard record.outcome == "superseded" else {
                end = record
                return .enough
            }
            command = latest
        }
        next = reply.sequence + 1
        session.output.flush()
        return .more
    }

    private func wait(on descriptor: Int32) throws(Failure) {
        defer { progress.clear() }
        if isStale { try checkStatus() }
        while true {
            var reply = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&reply, 1, Self.pollMilliseconds)
            if count < 0, errno == EINTR { continue }
            guard count == 0 else { return }
            // A failed attempt creates no record, so the status is polled.
            try checkStatus()
            progress.show(order.progress)
        }
    }

    private func checkStatus() throws(Failure) {
        guard let command else { return }
        var standing: OpenCommandMessage?
        try asking.follow(CommandsMethod.self, { NoFields() }) { answer throws(Failure) in
            let commands = try answer.output().commands
            if let found = commands.first(where: { $0.id == command }) { standing = found }
            return .more
        }
        isStale = false
        guard let standing else { return }
        if let failure = order.failure(standing) { throw failure }
        guard let notice = CommandNotice.text(standing, waited: Clock.uptime() - since, zone: session.zone), notice != told
        else { return }
        told = notice
        guard !session.isJSON else { return }
        progress.clear()
        Output.complain(notice)
    }
}

struct SourceOrder {
    let action: Value
    let command: String
    /// The activity during the command.
    let progress: String
    /// The message if the user does not wait.
    let notice: String
    private let refusal: String

    static let load = SourceOrder(
        "todos", "load", progress: "Loading", hint: "see them come: todoctl watch todos", failed: "The todos could not be loaded")
    static let fetch = posts("fetch", progress: "Fetching")
    static let more = posts("more", progress: "Fetching more")
    static let reload = SourceOrder(
        "repositories", "reload", command: "fetch", progress: "Loading", hint: "see them: todoctl repos list",
        failed: "The repositories could not be listed")

    private static func posts(_ name: String, progress: String) -> SourceOrder {
        SourceOrder(
            "posts", name, command: "fetch", progress: progress, hint: "read them: todoctl posts list",
            failed: "The posts could not be fetched")
    }

    /// - Parameters:
    ///   - command: the name of the command in the feature, if it differs from the action's.
    ///   - hint: the verb that shows the result.
    private init(
        _ feature: String, _ name: String, command: String? = nil, progress: String, hint: String, failed refusal: String
    ) {
        action = FeatureAction.make(feature, name)
        self.command = "\(feature).\(command ?? name)"
        self.progress = progress
        notice = "\(progress). To \(hint)"
        self.refusal = refusal
    }

    /// The result of the command as a sentence.
    func success(_ end: RecordMessage) -> String {
        // The answer has no action if another language was chosen since.
        guard let action = end.action else { return "The result was no longer needed and changed nothing." }
        let path = RecordLines.path(action)
        let fact = RecordLines.payload(action)
        let items = fact["items"]?.list ?? []
        switch path.joined(separator: ".") {
        case "todos.loaded":
            guard !items.isEmpty else { return "Nothing new: the list has all of them already." }
            let titles = items.prefix(TodoSentences.namedMax).map { Visible.text($0["title"]?.text ?? "") }
            let rest = items.count - titles.count
            let others = rest > 0 ? " and \(Digits.grouped(rest)) more" : ""
            return "Loaded \(Digits.counted(items.count, "todo")): \(titles.joined(separator: ", "))\(others)."
        case "posts.append": return "Fetched \(Digits.counted(items.count, "more post"))."
        case "posts.set": return "Fetched \(Digits.counted(items.count, "post"))."
        case "repositories.loaded":
            let language = Visible.text(fact["language"]?.text ?? "")
            return "\(Digits.counted(items.count, "repository", "repositories")) for \(language)."
        default: return "It is done."
        }
    }

    /// Why the command had no result; `nil` if it had one.
    func failure(_ end: RecordMessage) -> Failure? {
        guard end.outcome != "result" else { return nil }
        let fact = end.action.map(RecordLines.payload)
        let reason = fact?["reason"]?.text ?? end.reason ?? "no reason given"
        return Failure(.refused, "\(refusal): \(Visible.text(reason))")
    }

    /// The failure for a parked command; `nil` if it continues by itself.
    func failure(_ standing: OpenCommandMessage) -> Failure? {
        guard standing.stage == "parked" else { return nil }
        let reason = standing.reason.map(Visible.text) ?? "it waits for you"
        let id = standing.id.text
        return Failure(
            .refused,
            "\(refusal) so far: \(reason)\nTo try it again: todoctl commands retry \(id). To leave it: "
                + "todoctl commands skip \(id)")
    }
}

/// Why a command is delayed, and the remedy.
enum CommandNotice {
    static let held = "Commands are held: todoctl commands release"

    // A longer wait, in microseconds, has a reason.
    private static let soon: Int64 = 1_000_000

    /// The reason for a delay; `nil` if the command runs or its source postponed it.
    ///
    /// - Parameter waited: microseconds since it could have begun.
    static func text(_ command: OpenCommandMessage, waited: Int64, zone: Zone) -> String? {
        if command.held { return held }
        guard command.stage == "waiting" else { return nil }
        guard command.attempts > 0, let reason = command.reason else {
            return command.due == nil && waited > soon ? "It waits for others before it: todoctl commands" : nil
        }
        let next = command.due.map { "is at \(zone.moment(at: $0 / 1_000_000).text)" } ?? "comes soon"
        return "Attempt \(command.attempts) failed, the next one \(next): \(Visible.text(reason))"
    }
}

extension Session {
    /// The notice that commands of a step are held, as in `heldNotice`, for replies that don't contain it.
    func held(_ commands: [CommandMessage], since step: UInt64?) -> [String] {
        guard !isJSON, !commands.isEmpty, let step else { return [] }
        var isHeld = false
        // Best effort: the dispatch has succeeded whether this is answered or not.
        _ = try? client.stream(CommandsMethod.self, NoFields()) { answer throws(Failure) in
            if try answer.output().commands.contains(where: { $0.held && $0.id.sequence >= step }) { isHeld = true }
            return .more
        }
        return heldNotice(isHeld)
    }
}

/// The timeout of a question: `90s`, `30min`, `2h`, `1d`.
enum Waiting {
    /// The duration in seconds; `nil` for calendar durations and other texts.
    static func seconds(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int(digits), 1...TimeShift.countMax ~= count,
            let unit = TimeShift.Unit(text.dropFirst(digits.count))
        else { return nil }
        return unit == .day ? Int64(count) * 86_400 : TimeShift(count: count, unit: unit).seconds
    }
}

/// Whether a verb waits for the result of its request.
struct WaitOption: ParsableArguments {
    @Flag(inversion: .prefixedNo, help: "Wait for the result (default: only on a terminal).")
    var wait: Bool?

    /// Makes the request and prints its result, or how to see it later.
    func run(_ order: SourceOrder, _ options: Options) throws {
        let waits = wait ?? (isatty(1) == 1 && !options.json)
        try options.session(patience: waits ? Client.followingPatience : Client.patience) { session in
            if waits { return try SourceRequest(order, session).finish() }
            try session.change([order.action]) { _ in [order.notice] }
        }
    }
}
