import ArgumentParser
import Chronicle
import TodoAPI

struct FollowVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "follow", abstract: "Follow a subscription: show or work off what comes, and acknowledge it.",
        discussion: """
            EXAMPLES:
              todoctl follow mail
              todoctl follow mail --once --exec ./send-mail --from me
              todoctl follow mail --attempts 3 --exec ./send-mail
              todoctl follow mail --json --once > records.json

            A subscription is made with todoctl subscription add NAME. What was acknowledged does not come again, over restarts of both;
            what was not comes again: at least once. One process follows at a time, the one that came last. With --exec a program is run
            for each record, with the record as JSON on its standard input, and the record is acknowledged once it has ended with status 0.
            """)

    @Argument(help: "The name of the subscription.", completion: .subscriptions)
    var name: String

    @Flag(help: "End with status 0 once all that is there is done.")
    var once = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --exec, give up after so many failures at one record; 8, if left out.", valueName: "count"),
        transform: Numeral.whole(from: 1))
    var attempts: Int = 8

    @OptionGroup var options: Options

    @Option(
        parsing: .remaining,
        help: ArgumentHelp("A program to run for each record, and its arguments: the last option.", valueName: "program"))
    var exec: [String] = []

    func validate() throws {
        // Left out, everything counts as done; the parser takes a last `--exec` for that.
        guard !exec.isEmpty || !CommandLine.arguments.contains("--exec") else {
            throw ValidationError("--exec names no program.")
        }
    }

    func run() throws {
        try options.session(patience: Client.followingPatience) { session in
            try SubscriptionFollower(session: session, verb: self).run()
        }
    }
}

/// Follows a subscription over restarts of the daemon, and acknowledges what is done.
final class SubscriptionFollower {
    private let session: Session
    private let verb: FollowVerb
    private let table: RecordLines
    // What is done is said while the other connection streams.
    private let asking: Client

    /// Microseconds after which a stream is asked for anew: the daemon gives up who leaves it unread for a minute.
    private static let unreadMax: Int64 = 20_000_000
    private static let pauseMin: Int64 = 100_000
    private static let pauseMax: Int64 = 30_000_000

    init(session: Session, verb: FollowVerb) throws(Failure) {
        self.session = session
        self.verb = verb
        table = RecordLines(zone: session.zone, paint: session.paint)
        asking = try session.client.another(patience: Client.followingPatience)
    }

    /// Ends with an error, or once all is done where that is enough.
    func run() throws(Failure) {
        var isDone = false
        while !isDone {
            try session.client.follow(FollowMethod.self, { .init(name: verb.name) }, isLive: true) { answer throws(Failure) in
                let start = Clock.uptime()
                let reply = try answer.output()
                try take(answer, reply)
                isDone = verb.once && reply.caughtUp == true
                return isDone || Clock.uptime() - start > Self.unreadMax ? .enough : .more
            }
        }
    }

    private func take(_ answer: Answer<FollowMethod>, _ reply: FollowMethod.Output) throws(Failure) {
        if verb.exec.isEmpty {
            if session.isJSON {
                session.output.json(answer.members)
            } else {
                session.show(reply.records.map { table.line($0) })
            }
            session.output.flush()
        } else {
            let records = answer.members.first { $0.name == "records" }?.value.list ?? []
            for (record, members) in zip(reply.records, records) {
                try work(off: members, of: record.sequence)
                try acknowledge(record.sequence, reply.epoch)
            }
            if reply.records.last?.sequence == reply.sequence { return }
        }
        try acknowledge(reply.sequence, reply.epoch)
    }

    private func acknowledge(_ sequence: UInt64, _ epoch: UInt64) throws(Failure) {
        do throws(Failure) {
            _ = try asking.call(AcknowledgeMethod.self, .init(name: verb.name, sequence: sequence, epoch: epoch))
        } catch {
            throw Following.explained(error, "Follow it again: it goes on with what that log says was acknowledged.")
        }
    }

    private func work(off record: Value, of sequence: UInt64) throws(Failure) {
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
                    \(what). Attempts: \(attempt). Neither that record nor what comes behind it is acknowledged.
                    When the cause is mended, follow it again. To go on behind that record: todoctl subscription skip \
                    \(Visible.text(verb.name)) \(sequence)
                    """)
            }
            Output.complain("\(what); trying again")
            Clock.pause(microseconds: pause)
            pause = min(pause * 2, Self.pauseMax)
        }
    }
}
