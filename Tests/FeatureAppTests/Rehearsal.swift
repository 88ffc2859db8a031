import Chronicle
import ChronicleTesting
import FeatureAlerts
import FeatureApp
import FeatureFlows
import FeatureRepositories

/// Simulates the app, a user, a screen and a service on a virtual clock.
///
/// The service is a stub. As in the real runner, a new command supersedes the previous one.
final class Rehearsal {
    /// A response of the service for a language, and its delay in seconds.
    struct Answer {
        var after: Int64 = 0
        var items: [Repository] = []
        var failure: String?
    }

    /// The titles that the screen shows, each time they change: `300 swiftlang/swift`.
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

    /// Starts at time 0; the screen subscribes at 200.
    init(_ state: App.State = .init(), answers: [String: Answer] = [:]) {
        store = TestStore(state, of: App.self, clock: TestClock(microseconds: 0))
        store.exhaustivity = .off
        self.answers = answers
        schedule(.subscribe, at: 200)
    }

    /// Schedules a user action.
    func input(at time: Int64, _ action: App.Action) { schedule(.input(action), at: time) }

    /// Advances the clock until no events are left.
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

    // After all earlier events, so that an immediate response directly follows its request.
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
        // The store has already superseded the previous command.
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
