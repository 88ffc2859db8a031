import FeatureAlerts
import FeatureApp
import FeatureFlows
import FeatureRepositories
import Fields
import StoreTesting

/// The app, a person, a screen and a service on one clock: what is put in at an instant, and what comes out when.
///
/// The service is the test's own; nothing is ever fetched. As with the runner, the latest wins.
final class Rehearsal {
    /// What the service says about a language, and after how many seconds.
    struct Answer {
        var after: Int64 = 0
        var items: [Repository] = []
        var failure: String?
    }

    /// What a screen shows, each time it changes: `300 swiftlang/swift`.
    private(set) var titles: [String] = []
    private(set) var repositories: [String] = []
    private(set) var indicator: [String] = []
    private(set) var alerts: [String] = []
    private(set) var languageLists: [String] = []
    private(set) var pages: [String] = []

    private enum Event {
        case subscribe
        case input(App.Action)
        case answer(App.Command)
    }

    private let store: TestStore<App>
    private let answers: [String: Answer]
    private var events: [(time: Int64, event: Event)] = []
    private var open: [App.Command] = []
    private var shown: Value?

    /// Begins at 0; the screen comes at 200.
    init(_ state: App.State = .init(), answers: [String: Answer] = [:]) {
        store = TestStore(state, of: App.self, clock: TestClock(microseconds: 0))
        store.exhaustivity = .off
        self.answers = answers
        schedule(.subscribe, at: 200)
    }

    /// Something that the person will do.
    func input(at time: Int64, _ action: App.Action) { schedule(.input(action), at: time) }

    /// Lets the time pass until nothing is to happen any more.
    func play() {
        while !events.isEmpty {
            let (time, event) = events.removeFirst()
            store.clock.advance(by: .seconds(time) - .microseconds(store.clock.microseconds))
            switch event {
            case .subscribe: show(at: time, isFirst: true)
            case .input(let action): perform(at: time) { store.send(action) }
            case .answer(let command): answer(command, at: time)
            }
            if shown != nil { show(at: time, isFirst: false) }
        }
        for command in open { store.close(command) }
        store.finish()
    }

    // Behind all that is to happen until then, so what is answered at once comes right after what asked.
    private func schedule(_ event: Event, at time: Int64) {
        let index = events.firstIndex { $0.time > time } ?? events.endIndex
        events.insert((time, event), at: index)
    }

    private func answer(_ command: App.Command, at time: Int64) {
        guard let index = open.firstIndex(of: command) else { return }
        guard case .repositories(.fetch(let name)) = command else { return }
        let answer = answers[name] ?? Answer()
        let fact: Repositories.Action =
            answer.failure.map { .loadFailed(language: name, reason: $0) } ?? .loaded(language: name, answer.items)
        open.remove(at: index)
        perform(at: time) { store.receive(.repositories(fact), answering: command) }
    }

    private func perform(at time: Int64, _ act: () -> Void) {
        var state = store.state
        let count = store.logged.count
        act()
        for entry in store.logged[count...] {
            for command in App.reduce(&state, entry.action, entry.context) { start(command, at: time) }
        }
    }

    private func start(_ command: App.Command, at time: Int64) {
        store.expect(command)
        if command.isPresentational {
            pages.append("\(time) \(command.arguments)")
            return
        }
        // The store has taken the older one's place already.
        open.removeAll { $0.policy.cancelID != nil && $0.policy.cancelID == command.policy.cancelID }
        open.append(command)
        if case .repositories(.fetch(let name)) = command {
            schedule(.answer(command), at: time + (answers[name] ?? Answer()).after)
        }
    }

    private func show(at time: Int64, isFirst: Bool) {
        let view = App.view(of: store.state)
        func note(_ path: [String], _ screen: WritableKeyPath<Rehearsal, [String]>) {
            let value = path.reduce(view) { $0[$1] ?? .null }
            guard isFirst || value != path.reduce(shown ?? .null, { $0[$1] ?? .null }) else { return }
            var this = self
            this[keyPath: screen].append("\(time) \(text(value))")
        }
        note(["repositories", "title"], \.titles)
        note(["repositories", "repositories"], \.repositories)
        note(["repositories", "refreshing"], \.indicator)
        note(["alerts"], \.alerts)
        note(["flows", "rows"], \.languageLists)
        shown = view
    }

    private func text(_ value: Value) -> String {
        switch value {
        case .text(let text): text
        case .bool(let isOn): isOn ? "on" : "off"
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .null: "nothing"
        case .list(let values): "[" + values.map(text).joined(separator: ", ") + "]"
        case .record: (value["name"] ?? value["text"] ?? value["options"] ?? value["items"]).map(text) ?? "\(value)"
        }
    }
}
