import Chronicle
import FeatureAlerts
import FeatureApp
import FeatureCounter
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import FeatureViews
import TestSupport

/// Applies random actions to all features; all commands are completed after each step.
struct RandomApp {
    var state = App.State()
    /// Called with the action and the context after each record was folded.
    var note: (App.Action, Context) -> Void = { _, _ in }
    private var dice: SeededGenerator
    private var clock: Int64 = 1_000_000

    init(_ seed: UInt64) { dice = SeededGenerator(seed) }

    /// Performs one random action.
    mutating func step() { try? dispatch(randomAction()) }

    /// Dispatches an action and completes its commands.
    mutating func dispatch(_ action: App.Action) throws(Refusal) { run(try App.prepare(action, state, context())) }

    /// Applies logged actions and completes their commands.
    mutating func run(_ logged: [App.Action]) {
        var rest = logged
        while !rest.isEmpty {
            let (action, context) = (rest.removeFirst(), context())
            let commands = App.reduce(&state, action, context)
            note(action, context)
            for command in commands {
                guard let fact = result(of: command) else { continue }
                rest += (try? App.prepare(fact, state, self.context())) ?? []
            }
        }
    }

    private mutating func context() -> Context {
        clock += 1
        return Context(time: clock, origin: 1000)
    }

    private mutating func result(of command: App.Command) -> App.Action? {
        let fails = Int.random(in: 0...4, using: &dice) == 0
        switch command {
        case .todos(.load):
            return .todos(fails ? .loadFailed("no such file") : .loaded([Todo(title: "Loaded one"), Todo(title: "Loaded two")]))
        case .todos(.remind(let id, let time, _)):
            return .todos(fails ? .remindFailed(id, of: time, "no desktop") : .reminded(id, of: time))
        case .posts(.fetch(let page, let destination)):
            if fails { return .posts(.failed("no answer")) }
            let posts = (0..<3).map { Post(key: "\(page).\($0)", title: "Post \(Int.random(in: 0...1, using: &dice))") }
            return .posts(destination == .set ? .set(posts, nextPage: page + 1) : .append(posts, nextPage: page + 1))
        case .stars(.star(let id)): return .stars(.starred(id))
        case .stars(.unstar(let id)): return .stars(.unstarred(id))
        case .repositories(.fetch(let language)):
            if fails { return .repositories(.loadFailed(language: language, reason: "no answer")) }
            let stars = Int64.random(in: 1...3, using: &dice)
            return .repositories(.loaded(language: language, [Repository(id: 1, fullName: language, stars: stars), vapor]))
        case .repositories(.languages): return .repositories(.languagesLoaded(["Swift", "C++", "Zig"]))
        case .flows(.timeOut(let id, _)): return .flows(.timedOut(id))
        case .repositories(.show), .repositories(.cancelLanguages), .flows(.keep), .todos(.forget): return nil
        }
    }

    private mutating func randomAction() -> App.Action {
        let id = state.todos.items.elements.map(\.id).randomElement(using: &dice) ?? 1
        let text = ["Milk", "Bread", "Call Ada", "Été à la mer"].randomElement(using: &dice) ?? ""
        switch Int.random(in: 0...25, using: &dice) {
        case 0, 1: return .todos(.add([Todo(title: text, tags: ["home"]), Todo(title: text, note: "n")]))
        case 2: return .todos(.add([Todo(title: text, every: "every 2 weeks"), Todo(title: text)]))
        case 3: return .todos(.edit(id, TodoChanges(title: text, priority: .high, after: id > 1 ? [id - 1] : nil)))
        case 4:
            let wait = Due("2026-12-01").map { FieldChange<Due>.set($0) }
            let origin = TodoOrigin(source: "ics:1", attributes: [OriginAttribute("RRULE", text)])
            return .todos(
                .edit(id, TodoChanges(note: text, tags: ["shop"], due: .clear, wait: wait, remind: wait, origin: origin)))
        case 5: return .todos(.complete(id))
        case 6: return .todos(.reopen(id))
        case 7: return .todos(.remove(id))
        case 8: return .todos(.move(id, to: Int.random(in: 0...5, using: &dice)))
        case 9: return .todos(.clearCompleted())
        case 10: return .todos(.submit)
        case 11: return .todos(.load)
        case 12: return .counter(.increment)
        case 13: return .counter(.reset)
        case 14: return .posts(.fetch)
        case 15: return .posts(.more)
        case 16: return .stars(.press(["swift", "zig"].randomElement(using: &dice) ?? ""))
        case 17: return .repositories(.reload)
        case 18: return .repositories(.setLanguage(["Swift", "C++"].randomElement(using: &dice) ?? ""))
        case 19:
            let kind = ["welcome", "language"].randomElement(using: &dice) ?? ""
            return .flows(.start(kind: kind, seconds: [0, 60].randomElement(using: &dice) ?? 0))
        case 20:
            return .flows(.answer(state.flows.items.elements.last?.id ?? 1, ["C++", "posts"].randomElement(using: &dice) ?? ""))
        case 21: return .flows(.cancel(state.flows.items.elements.first?.id ?? 1))
        case 22: return .alerts(.dismiss(state.alerts.items.elements.first?.id ?? 1))
        case 23:
            let name = ["work", "home"].randomElement(using: &dice) ?? ""
            return .views(.save(SavedView(name: name, filter: "+" + text)))
        case 24: return .views(.remove(state.views.items.elements.first?.id ?? 1))
        default: return .todos(.updateText(text))
        }
    }
}

extension App.State {
    /// The state without parts that an undo doesn't revert: the next IDs and the delivered reminders.
    var withoutNextIDs: App.State {
        var state = self
        for todo in todos.items.elements where todo.reminded != nil { state.todos.items.update(todo.id) { $0.reminded = nil } }
        state.todos.nextID = 1 << 40
        state.alerts.nextID = 1 << 40
        state.posts.nextID = 1 << 40
        state.flows.nextID = 1 << 40
        state.views.nextID = 1 << 40
        return state
    }
}
