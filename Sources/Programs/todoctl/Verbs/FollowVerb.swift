import ArgumentParser
import Chronicle
import TodoAPI

struct FollowVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "follow", abstract: "Show or process records, and continue after the last one next time.",
        discussion: """
            EXAMPLES:
              todoctl follow mail --action todos.complete
              todoctl follow archive --from start --once --json > records.json
              todoctl follow mail --once --exec ./send-mail --from me
              todoctl follow up --where 'new.counter.count > old.counter.count'

            The position and the filter are stored in a file of this name in todoctl-positions in $XDG_STATE_HOME
            (~/.local/state); delete the file to forget them. A new name begins with the next record. --from moves the position,
            and filter options replace the stored filter. A record is processed once it is shown, or once the program of --exec,
            which gets it as JSON on standard input, has ended with status 0. After an interruption, each record is processed at
            least once, in order.
            """)

    @Argument(help: "The name: a letter, then letters, digits, '-', '_' and '.'.", completion: .positions)
    var name: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("First record (now: the next one).", valueName: "point"), completion: .moments)
    var from: String?

    @Option(help: ArgumentHelp("Only actions of this feature.", valueName: "feature"), completion: .features)
    var feature: String?

    @Option(
        help: ArgumentHelp("Only actions of this name, such as todos.add; can be repeated.", valueName: "name"),
        completion: .actions)
    var action: [String] = []

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Only records of this uid.", valueName: "uid"),
        transform: Numeral.whole(from: 0))
    var origin: UInt32?

    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("Only records that meet this condition on old., new. and record.", valueName: "expression"))
    var condition: String?

    @Flag(help: "End with status 0 after the last record that exists now.")
    var once = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --exec: maximum number of attempts for one record (default: 8).", valueName: "count"),
        transform: Numeral.whole(from: 1))
    var attempts: Int = 8

    @OptionGroup var options: Options

    @Option(
        parsing: .remaining,
        help: ArgumentHelp("Program to run for each record, and its arguments; must be the last option.", valueName: "program"))
    var exec: [String] = []

    func validate() throws {
        // Without a program every record would count as processed.
        guard !exec.isEmpty || !CommandLine.arguments.contains("--exec") else {
            throw ValidationError("--exec names no program.")
        }
    }

    func run() throws {
        try options.session(patience: Client.followingPatience) { session in
            try RecordConsumer(session: session, verb: self).run()
        }
    }
}

/// Shows or processes records over restarts of the daemon, and stores the position.
final class RecordConsumer {
    private let session: Session
    private let verb: FollowVerb
    private let table: RecordLines
    private let file: PositionFile
    private var call: SubscribeMethod.Input
    private var isAccepted = false

    /// Microseconds after which the stream is requested again: the daemon disconnects a client that reads nothing for a minute.
    private static let unreadMax: Int64 = 20_000_000
    private static let pauseMin: Int64 = 100_000
    private static let pauseMax: Int64 = 30_000_000

    init(session: Session, verb: FollowVerb) throws(Failure) {
        self.session = session
        self.verb = verb
        table = RecordLines(zone: session.zone, paint: session.paint)
        file = try PositionFile(verb.name)
        // An empty list of actions matches all, and requests the position.
        call = try file.read() ?? SubscribeMethod.Input(kind: "records", actions: [])
    }

    /// Ends with an error, or with `--once` after the last record.
    func run() throws(Failure) {
        let head = try session.client.call(PingMethod.self, NoFields())
        if verb.feature != nil || !verb.action.isEmpty || verb.origin != nil || verb.condition != nil {
            call.scope = verb.feature.map(FeatureAction.scope)
            (call.actions, call.origin, call.where) = (verb.action, verb.origin, verb.condition)
        }
        if call.from == nil || verb.from != nil {
            (call.epoch, call.from) = (head.epoch, Point(sequence: try first(after: head.sequence)))
        }
        var isDone = false
        while !isDone {
            do throws(Failure) {
                try session.client.follow(SubscribeMethod.self, { call }, isLive: true) { answer throws(Failure) in
                    let start = Clock.uptime()
                    let reply = try answer.output()
                    // Before anything is processed, so that a new position lasts, and only once the daemon has accepted the filter.
                    if !isAccepted { try file.write(call) }
                    isAccepted = true
                    try take(answer, reply)
                    isDone = verb.once && reply.sequence >= head.sequence
                    return isDone || Clock.uptime() - start > Self.unreadMax ? .enough : .more
                }
            } catch {
                throw explained(error)
            }
        }
    }

    /// The first record, if it is not stored.
    private func first(after head: UInt64) throws(Failure) -> UInt64 {
        guard let from = verb.from else { return head + 1 }
        let point = try session.point(from, edge: .beginning)
        if point == .now || point == Point(sequence: head + 1) { return head + 1 }
        var first: UInt64?
        try session.client.stream(LogMethod.self, .init(from: point, limit: 1)) { answer throws(Failure) in
            first = try answer.output().records.first?.sequence ?? first
            return .more
        }
        return first ?? head + 1
    }

    private func take(_ answer: Answer<SubscribeMethod>, _ reply: SubscribeMethod.Output) throws(Failure) {
        if verb.exec.isEmpty {
            if !session.isJSON {
                session.show(reply.records.map { table.line($0) })
            } else if !reply.records.isEmpty {
                session.output.json(answer.members)
            }
            session.output.flush()
        } else {
            let records = answer.members.first { $0.name == "records" }?.value.list ?? []
            for (record, members) in zip(reply.records, records) {
                try process(members, record.sequence)
                try store(record.sequence)
            }
            if reply.records.last?.sequence == reply.sequence { return }
        }
        try store(reply.sequence)
    }

    private func store(_ sequence: UInt64) throws(Failure) {
        call.from = Point(sequence: sequence + 1)
        try file.write(call)
    }

    private func process(_ record: Value, _ sequence: UInt64) throws(Failure) {
        var input: [UInt8] = []
        record.write(into: &input)
        input.append(UInt8(ascii: "\n"))
        var pause = Self.pauseMin
        for attempt in 1... {
            guard let why = ExternalProgram(command: verb.exec).run(input).failure else { return }
            let what = "\(Visible.text(verb.exec[0])), for record \(sequence): \(why)"
            guard attempt < verb.attempts else {
                throw Failure(
                    .tryAgain,
                    """
                    \(what). Attempts: \(attempt). The next run begins with that record.
                    To skip it: todoctl follow \(verb.name) --from \(sequence + 1)
                    """)
            }
            Output.complain("\(what); trying again")
            Clock.pause(microseconds: pause)
            pause = min(pause * 2, Self.pauseMax)
        }
    }

    /// The same error with the remedy, if the daemon can't continue at the position.
    private func explained(_ failure: Failure) -> Failure {
        let next = call.from?.sequence ?? 0
        var failure = failure
        switch failure.known {
        case .epochChanged(let epoch):
            failure.message = "The log was restored, copied or replaced since \(verb.name) read it: it is in epoch \(epoch) now."
        case .futureSequence(_, let last):
            failure.message = "\(verb.name) continues with record \(next), but the log ends with record \(last)."
        case .prunedSequence(let last, _, let archive):
            failure.message =
                "Records \(next) to \(last) were compacted before \(verb.name) read them."
                + (archive.map { " They are in \(Visible.text($0)), or in an earlier archive." } ?? "")
        default: return failure
        }
        failure.message +=
            "\nTo continue with the first record that the log has: todoctl follow \(verb.name) --from start"
            + "\nTo continue with the next one: todoctl follow \(verb.name) --from now"
        return failure
    }
}
