import Chronicle
import Glibc
import TodoAPI

/// Shows the last records that match, then new ones as they arrive.
final class LogFollower {
    /// A record, or a run of edits of the draft.
    private struct Entry {
        var record: RecordMessage
        var first: UInt64
        var isTyping: Bool

        var last: UInt64 { record.sequence }

        init(_ record: RecordMessage, _ detail: LogDetailMessage?) {
            self.record = record
            first = detail?.first ?? record.sequence
            isTyping = detail?.typing ?? false
        }
    }

    private let session: Session
    private let verb: Log
    private let table: RecordLines
    // Reads matching records and their changes while the other connection streams.
    private let asking: Client
    // Whether the replies of the stream are shown unchanged.
    private let showsReplies: Bool
    // The last run of edits of the draft, which may continue.
    private var held: Entry?

    /// Milliseconds after which a paused run of edits is shown.
    private static let restMilliseconds: Int32 = 1_000

    init(session: Session, verb: Log) throws(Failure) {
        self.session = session
        self.verb = verb
        showsReplies = session.isJSON && !verb.isPicky
        table = RecordLines(zone: session.zone, paint: session.paint)
        asking = try session.client.another(patience: Client.followingPatience)
    }

    func run() throws(Failure) {
        let ping = try asking.call(PingMethod.self, NoFields())
        var following = FollowState(epoch: ping.epoch)
        var from = try first(after: ping.sequence)
        session.client.whileWaiting = { descriptor throws(Failure) in try self.rest(on: descriptor) }
        defer { session.client.whileWaiting = nil }
        let input = { [self] in
            SubscribeMethod.Input(
                scope: showsReplies ? verb.feature.map(FeatureAction.scope) : nil, from: following.next ?? from, kind: "records",
                epoch: following.epoch)
        }
        while true {
            do throws(Failure) {
                return try session.client.follow(SubscribeMethod.self, input, isLive: true) { answer throws(Failure) in
                    _ = following.reach(try answer.output())
                    try take(answer)
                    return .more
                }
            } catch {
                guard let epoch = FollowState.changedEpoch(error) else { throw error }
                try showHeld()
                FollowState.tellChange(to: epoch)
                // An epoch is its start time.
                (following, from) = (FollowState(epoch: epoch), Point(time: Int64(clamping: epoch)))
            }
        }
    }

    private func take(_ answer: Answer<SubscribeMethod>) throws(Failure) {
        let reply = try answer.output()
        if showsReplies {
            session.output.json(answer.members)
        } else if let first = reply.records.first?.sequence {
            try take(first, through: reply.sequence)
        }
        session.output.flush()
    }

    /// The first record to show.
    private func first(after head: UInt64) throws(Failure) -> Point {
        if let from = verb.from {
            let point = try session.point(from, edge: .beginning)
            // Refuses an unknown name at once, not at the first record.
            _ = try entries(wanted(limit: 0))
            return point
        }
        let limit = verb.limit ?? 10
        // Queried because a compacted log may have fewer records.
        let firsts = try entries(wanted(limit: limit, reverse: true)).map(\.first)
        return Point(sequence: firsts.min() ?? head + 1)
    }

    private func wanted(from: Point? = nil, to: Point? = nil, limit: UInt64? = nil, reverse: Bool? = nil) -> LogMethod.Input {
        LogMethod.Input(
            from: from, to: to, limit: limit, feature: verb.feature.map(FeatureAction.scope), action: verb.action,
            origin: verb.origin,
            search: verb.search, reverse: reverse, runs: verb.ungrouped ? nil : true, where: verb.condition, path: verb.path)
    }

    private func entries(_ input: LogMethod.Input) throws(Failure) -> [Entry] {
        var entries: [Entry] = []
        let again = {
            entries = []
            return input
        }
        try asking.follow(LogMethod.self, again) { answer throws(Failure) in
            entries += try answer.output().entries.map { Entry($0.record, $0.detail) }
            return .more
        }
        return entries
    }

    /// Shows the matching records of a range; a run of edits waits for its continuation.
    private func take(_ first: UInt64, through last: UInt64) throws(Failure) {
        let from = Point(sequence: held?.last ?? first)
        for var entry in try entries(wanted(from: from, to: Point(sequence: last))) {
            if let held {
                if entry.first == held.last { entry.first = held.first } else { try show(held) }
            }
            held = entry.isTyping ? entry : nil
            if !entry.isTyping { try show(entry) }
        }
        // Later records end the run.
        if let held, held.last < last { try showHeld() }
    }

    /// Shows a paused run of edits before waiting for the next reply.
    private func rest(on descriptor: Int32) throws(Failure) {
        guard held != nil else { return }
        var next = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&next, 1, Self.restMilliseconds) == 0 else { return }
        try showHeld()
        session.output.flush()
    }

    private func showHeld() throws(Failure) {
        if let held { try show(held) }
        held = nil
    }

    private func show(_ entry: Entry) throws(Failure) {
        var detail = LogDetailMessage(first: entry.first)
        if verb.diff, entry.first > 0 {
            detail.changes = try changes(from: Point(sequence: entry.first - 1), to: Point(sequence: entry.last))
        }
        guard session.isJSON else { return session.show(table.lines(entry.record, detail, showsChanges: verb.diff)) }
        let details = verb.diff || !verb.ungrouped ? [detail] : nil
        session.output.json(LogMethod.Output(records: [entry.record], details: details))
    }

    /// The changes of a run; `nil` if they are too many or no longer in the log.
    private func changes(from before: Point, to last: Point) throws(Failure) -> [Change]? {
        var changes: [Change] = []
        let path = verb.path
        let again = {
            changes = []
            return DiffMethod.Input(from: before, to: last, path: path)
        }
        do throws(Failure) {
            try asking.follow(DiffMethod.self, again) { page throws(Failure) in
                changes += try page.output().changes ?? []
                return .more
            }
        } catch {
            switch error.known {
            case .answerTooLarge, .prunedSequence: return nil
            default: throw error
            }
        }
        return changes
    }
}
