import ArgumentParser
import TodoAPI
import Varlink

struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the state, then every change as it happens.",
        discussion: """
            EXAMPLES:
              todoctl watch
              todoctl watch todos.items
              todoctl watch counter --json
              todoctl watch star swift

            Ends with Ctrl-C. + is new, - is gone, ~ has other contents, > stands elsewhere. When the daemon restarts, it goes on with
            what has changed meanwhile; with --json the whole state comes again.
            """)

    @OptionGroup var options: Options

    @Argument(help: "A feature or one field of its state: todos, todos.items. Left out: everything.")
    var scope: String?

    @Argument(help: "Of star buttons: this one alone.")
    var id: String?

    func validate() throws {
        guard id == nil || isOfStars else { throw ValidationError("An id is for star buttons alone: todoctl watch star ID") }
    }

    private var isOfStars: Bool { ["stars", "stars.items"].contains(scope.map(FeatureAction.scope)) }

    func run() throws {
        try options.session(patience: Client.followingPatience) { session in
            try StateFollower(session: session, verb: self).run()
        }
    }

    /// A whole state.
    func lines(_ state: JSON) -> [String] {
        guard isOfStars else { return Outline.lines(state) }
        return StarLine.stars(state, only: id).map { StarLine.text($0.name, $0.value) }
    }

    /// A change; nil when it is not of what is watched.
    func line(_ change: JSON, _ paint: Paint) -> String? {
        guard isOfStars else { return ChangeLines.line(change, paint: paint) }
        return StarLine.star(change).flatMap { isMeant($0.name) ? StarLine.text($0.name, $0.value) : nil }
    }

    private func isMeant(_ star: String) -> Bool { id == nil || id == star }
}

/// Follows the state, over restarts of the daemon, and shows what changes.
final class StateFollower {
    private let session: Session
    private let verb: Watch
    private let scope: String?
    // What changed while nobody listened is asked for while the other connection streams.
    private let changes: Client
    private var following = Following()
    // The pages of a state that has not come wholly yet, and the sequence shown before it.
    private var state: JSON?
    private var shown: Int64?

    init(session: Session, verb: Watch) {
        self.session = session
        self.verb = verb
        scope = verb.scope.map(FeatureAction.scope)
        changes = Client(socket: session.client.socket, patience: Client.followingPatience)
    }

    /// Ends with an error alone.
    func run() throws(Failure) {
        let frame = { [self] in
            state = nil
            return Frame.call(SubscribeMethod.self, .init(scope: scope), more: true)
        }
        try session.client.follow(frame, isLive: true) { [self] members throws(Failure) in
            if following.reach(members) {
                Following.tellChange(to: members["epoch"]?.int ?? 0)
                shown = nil
            }
            if !session.isJSON {
                try show(members)
            } else if let id = verb.id {
                write(members, only: id)
            } else {
                session.output.json(members)
            }
            session.output.flush()
            return .more
        }
    }

    private func show(_ members: [JSON.Member]) throws(Failure) {
        if let page = members["state"] {
            guard let whole = whole(with: page, members) else { return }
            try show(whole, members)
        } else {
            show(changes: members["changes"]?.array ?? [], members)
        }
        shown = following.sequence
    }

    /// The state, once its last page is here.
    private func whole(with page: JSON, _ members: [JSON.Member]) -> JSON? {
        if state == nil { state = page } else { state?.append(page: page) }
        guard members["complete"]?.bool != false else { return nil }
        defer { state = nil }
        return state
    }

    /// Writes what is about one star button as JSON; whether it is among the others is known when all pages are here.
    private func write(_ members: [JSON.Member], only id: String) {
        var members = members
        if let page = members["state"] {
            guard let whole = whole(with: page, members) else { return }
            members = members.map { $0.name == "state" ? .init(name: "state", value: whole) : $0 }
        }
        if let reply = StarLine.reply(members, only: id) { session.output.json(reply) }
    }

    // A state that comes again is shown as what has changed since.
    private func show(_ whole: JSON, _ members: [JSON.Member]) throws(Failure) {
        guard let shown, let now = following.sequence, shown <= now else { return session.show(verb.lines(whole)) }
        guard shown < now else { return }
        let input = DiffMethod.Input(
            from: Point(sequence: UInt64(clamping: shown)), to: Point(sequence: UInt64(clamping: now)), path: scope)
        var missed: [JSON] = []
        do throws(Failure) {
            try changes.stream(Frame.call(DiffMethod.self, input, more: true)) { page throws(Failure) in
                missed += page["changes"]?.array ?? []
                return .more
            }
        } catch {
            // The moment shown last is in the log no longer; the state itself says as much.
            guard error.error != nil else { throw error }
            return session.show(verb.lines(whole))
        }
        show(changes: missed, members)
    }

    private func show(changes: [JSON], _ members: [JSON.Member]) {
        let time = session.moment(members["time"]?.int ?? 0).text
        for change in changes {
            if let line = verb.line(change, session.paint) { session.output.line("\(time)  \(line)") }
        }
    }
}
