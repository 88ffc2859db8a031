import ArgumentParser
import Chronicle
import Dates
import TodoAPI
import Varlink

struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show todos, or the state, then every change as it happens.",
        discussion: """
            EXAMPLES:
              todoctl watch
              todoctl watch +work due:today
              todoctl watch @work
              todoctl watch todos.items
              todoctl watch counter --json
              todoctl watch star swift
              todoctl watch counter --until 'counter.count >= 10' --timeout 60
              todoctl watch todos --from "yesterday 9:00" --speed 60 --gap-max 2

            Words are a filter as in list, unless the first one is a feature or a field of its state (text:posts searches for that
            word). A filter, or no words for the open todos, shows a live list on a terminal; otherwise lines for todos that enter
            (+), leave (-) or change.

            The list ends with q, Esc or Ctrl-C, other output with Ctrl-C. + is new, - is removed, ~ is changed, > is moved. After
            a restart of the daemon, the missed changes are shown, or with --json the whole state. --from shows an earlier state
            and replays the changes up to the present. --until ends with status 0 when the condition holds for the current state,
            and --timeout, which includes the replay, with status 1. For single records: todoctl log --follow --diff --where
            EXPRESSION.
            """)

    @OptionGroup var options: Options

    @OptionGroup var past: PastOptions

    @Argument(
        help: ArgumentHelp(
            "A filter as in list; or a feature or one field of its state (todos, todos.items), and for star an id.",
            valueName: "filter"), completion: .filter)
    var words: [String] = []

    @Option(help: ArgumentHelp("End when this condition holds for the current state.", valueName: "expression"))
    var until: String?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("Maximum wait for the condition.", valueName: "seconds"),
        transform: Numeral.seconds)
    var timeout: Double?

    func validate() throws {
        if timeout != nil, until == nil { throw ValidationError("--timeout needs --until.") }
        guard id != "" else { throw ValidationError("No star button has an empty id.") }
        guard isFilter || words.count < 2 || words.count == 2 && isOfStars else {
            throw ValidationError("An id applies to star buttons only: todoctl watch star ID")
        }
        if isFilter, words.count == 1, words[0].allSatisfy(\.isLetter),
            let question = Spelling.question(about: words[0], among: FeatureAction.known.sorted())
        {
            let word = words[0]
            throw ValidationError(
                "There is no feature \(word); \(question) To watch the todos with this word: todoctl watch text:\(word)")
        }
        guard !isFilter || past.from == nil && until == nil else {
            throw ValidationError("--from and --until need a feature or a field, not a filter: todoctl watch todos")
        }
    }

    /// Whether the words are a filter.
    var isFilter: Bool {
        guard let first = words.first else { return false }
        guard first.allSatisfy({ $0.isLetter || $0 == "." }) else { return true }
        return !FeatureAction.known.contains(String(first.prefix { $0 != "." }))
    }

    /// The feature or field of its state; `nil` for everything.
    var scope: String? { isFilter ? nil : words.first }

    /// The only star button to show.
    var id: String? { isFilter ? nil : words.dropFirst().first }

    private var isOfStars: Bool { ["stars", "stars.items"].contains(scope.map(FeatureAction.scope)) }

    func run() throws {
        let microseconds = timeout.map { Int64($0 * 1_000_000) }
        let patience = min(Client.followingPatience, microseconds ?? .max)
        try options.session(patience: patience) { session in
            let isList = words.isEmpty && session.isTerminal && !session.isJSON && past.from == nil && until == nil
            if isFilter || isList { return try TodoWatcher(words, session).run() }
            let goal = try until.map { try AwaitedCondition($0, timeout: microseconds, session: session) }
            try StateFollower(session: session, verb: self, goal: goal).run()
        }
    }

    func lines(_ state: Value) -> [String] {
        guard isOfStars else { return Tree.lines(state) }
        return StarLine.stars(state, only: id).map { StarLine.text($0.name, $0.value) }
    }

    /// A change; `nil` if it is not watched.
    func line(_ change: Change, _ paint: Paint) -> String? {
        guard isOfStars else { return ChangeLines.line(change, paint: paint) }
        return StarLine.star(change).flatMap { isWatched($0.name) ? StarLine.text($0.name, $0.value) : nil }
    }

    private func isWatched(_ star: String) -> Bool { id.map { $0.hasSameBytes(as: star) } ?? true }
}

/// Follows the state across restarts of the daemon, and shows its changes.
final class StateFollower {
    private let session: Session
    private let verb: Watch
    private let scope: String?
    // Reads missed changes while the other connection streams.
    private let changes: Client
    private var following = FollowState()
    private var past: ResumableReplay?
    private let goal: AwaitedCondition?
    // The incomplete pages of a state, and the sequence that was shown before it.
    private var state: Value?
    private var shown: UInt64?

    init(session: Session, verb: Watch, goal: AwaitedCondition?) throws(Failure) {
        self.session = session
        self.goal = goal
        self.verb = verb
        scope = verb.scope.map(FeatureAction.scope)
        changes = try session.client.another(patience: Client.followingPatience)
    }

    /// Ends when the goal is reached, otherwise only with an error.
    func run() throws(Failure) {
        try goal?.begin(fromPast: verb.past.from != nil)
        defer { goal?.end() }
        past = try verb.past.past(session)
        do throws(Failure) { try follow() } catch {
            if goal?.holdsAtLast == true { return }
            guard past != nil, let epoch = FollowState.changedEpoch(error) else { throw error }
            // The past was requested for the previous log only.
            FollowState.tellChange(to: epoch)
            (past, following, shown) = (nil, FollowState(epoch: epoch), nil)
            try follow()
        }
    }

    private func follow() throws(Failure) {
        let input = { [self] in
            state = nil
            return past?.input(scope) ?? SubscribeMethod.Input(scope: scope)
        }
        try session.client.follow(SubscribeMethod.self, input, isLive: true) { [self] answer throws(Failure) in
            let reply = try answer.output()
            guard past?.isNews(reply) != false else { return .more }
            if following.reach(reply) {
                FollowState.tellChange(to: reply.epoch)
                shown = nil
            }
            if !session.isJSON {
                try show(reply)
            } else if let id = verb.id {
                write(reply, only: id)
            } else {
                session.output.json(answer.members)
            }
            session.output.flush()
            // Of a replayed past, only the last state is the current one.
            guard reply.complete, let goal, reply.past != true || goal.isNewest(reply.sequence) else { return .more }
            return try goal.isReached(at: reply.sequence) ? .enough : .more
        }
    }

    private func show(_ reply: SubscribeMethod.Output) throws(Failure) {
        if let page = reply.state {
            guard let whole = whole(with: page, reply) else { return }
            try show(whole, reply)
        } else {
            show(changes: reply.changes ?? [], reply)
        }
        shown = following.sequence
    }

    /// The state once its last page has arrived.
    private func whole(with page: Value, _ reply: SubscribeMethod.Output) -> Value? {
        if state == nil { state = page } else { state?.append(page: page) }
        guard reply.complete else { return nil }
        defer { state = nil }
        return state
    }

    /// Writes one star button as JSON, once all pages have arrived.
    private func write(_ reply: SubscribeMethod.Output, only id: String) {
        var reply = reply
        if let page = reply.state {
            guard let whole = whole(with: page, reply) else { return }
            reply.state = whole
        }
        if let own = StarLine.reply(reply, only: id) { session.output.json(own) }
    }

    // A state that is sent again is shown as a difference.
    private func show(_ whole: Value, _ reply: SubscribeMethod.Output) throws(Failure) {
        guard let shown, let now = following.sequence, shown <= now else {
            if reply.past == true { session.tellMoment(reply.sequence, reply.time, folded: nil) }
            return session.show(verb.lines(whole))
        }
        guard shown < now else { return }
        let input = DiffMethod.Input(from: Point(sequence: shown), to: Point(sequence: now), path: scope)
        var missed: [Change] = []
        let again = {
            missed = []
            return input
        }
        do throws(Failure) {
            try changes.follow(DiffMethod.self, again) { page throws(Failure) in
                missed += try page.output().changes ?? []
                return .more
            }
        } catch {
            // The point shown last is no longer in the log, so show the whole state.
            guard error.error != nil else { throw error }
            return session.show(verb.lines(whole))
        }
        show(changes: missed, reply)
    }

    private func show(changes: [Change], _ reply: SubscribeMethod.Output) {
        let time = session.moment(reply.time).text
        session.show(changes.compactMap { verb.line($0, session.paint) }.map { "\(time)  \($0)" })
    }
}
