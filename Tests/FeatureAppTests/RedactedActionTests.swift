import Chronicle
import FeatureApp
import FeatureCounter
import FeatureRepositories
import FeatureStars
import FeatureTodos
import FeatureViews
import Testing

@Suite struct RedactedActionTests {
    @Test func `texts are redacted, IDs and numbers are kept`() throws {
        let added = App.Action.todos(.add([Todo(id: 7, title: "Call Ada", note: "On 4711", tags: ["home"])]))
        let expected = App.Action.todos(
            .add([Todo(id: 7, title: "⟨redacted⟩", note: "⟨redacted⟩", tags: ["⟨redacted⟩"])]))
        #expect(added.redacted == expected)
        #expect(App.Action.todos(.updateText("A secret")).redacted == .todos(.updateText("⟨redacted⟩")))
        #expect(
            App.Action.stars(.failed("swift", reason: "no network")).redacted
                == .stars(.failed("swift", reason: "⟨redacted⟩")))
        #expect(
            App.Action.repositories(.loadFailed(language: "swift", reason: "no")).redacted
                == .repositories(.loadFailed(language: "swift", reason: "⟨redacted⟩")))
    }

    @Test func `only the given texts are redacted, and identifiers are kept`() {
        let added = App.Action.todos(
            .add([
                Todo(id: 7, title: "Call Ada", note: "On 4711", tags: ["ada", "home"]), Todo(id: 8, title: "Buy milk"),
            ]))
        let expected = App.Action.todos(
            .add([
                Todo(id: 7, title: "⟨redacted⟩", note: "On 4711", tags: ["⟨redacted⟩", "home"]), Todo(id: 8, title: "Buy milk"),
            ]))
        #expect(added.redacted(.those { $0.lowercased().contains("ada") }) == expected)
        #expect(added.redacted(.those { $0.contains("4712") }) == nil)
        #expect(App.Action.stars(.starred("ada")).redacted(.those { $0 == "ada" }) == nil)
    }

    @Test func `the name of a view is kept, and an imported name is redacted`() {
        let work = RedactedTexts.those { $0.contains("work") }
        let save = App.Action.views(.save(SavedView(id: 1, name: "work", filter: "+work Miller")))
        #expect(save.redacted(work) == .views(.save(SavedView(id: 1, name: "work", filter: "⟨redacted⟩"))))
        let views = ["work", "homework"].enumerated().map { SavedView(id: UInt64($0 + 1), name: $1, filter: "+home") }
        #expect(App.Action.views(.save(views[0])).redacted(work) == nil)
        let (one, both) = (OrderedTable<SavedView>(), Views.State(items: views).items)
        #expect(App.Action.views(.restore(TablePatch(from: one, to: both))).redacted(work) == nil)
        func imported(_ name: String) -> App.Action {
            let origin = TodoOrigin(source: "csv:1", attributes: [OriginAttribute(name, "blue")])
            return .todos(.add([Todo(id: 7, title: "Call Ada", origin: origin)]))
        }
        #expect(imported("workplace").redacted(work) == imported("⟨redacted⟩"))
    }

    @Test func `the format and the field names of an import are kept`() {
        func imported(_ source: String, _ said: [String]) -> App.Action {
            .todos(.add([Todo(id: 7, title: "Ada", origin: TodoOrigin(source: source, said: said))]))
        }
        let task = imported("taskwarrior:4711", ["title", "due:2026-12-01", "tag:task", "done:"])
        let words = RedactedTexts.those { text in ["task", "due", "title", "done"].contains { text.contains($0) } }
        #expect(task.redacted(words) == imported("taskwarrior:4711", ["title", "due:2026-12-01", "⟨redacted⟩", "done:"]))
        let row = task.redacted(.row(feature: "todos", id: 7))
        let gone = TodoOrigin(source: "⟨redacted⟩", said: ["title", "⟨redacted⟩", "⟨redacted⟩", "done:"])
        #expect(row == .todos(.add([Todo(id: 7, title: "⟨redacted⟩", origin: gone)])))
        #expect(imported("mine", ["secret"]).redacted(.those { $0 == "secret" }) == imported("mine", ["⟨redacted⟩"]))
    }

    @Test func `redacting a row keeps other rows and features`() {
        let ada = Todo(id: 7, title: "Call Ada", note: "On 4711", tags: ["home"])
        let milk = Todo(id: 8, title: "Buy milk", tags: ["home"])
        let gone = Todo(id: 7, title: "⟨redacted⟩", note: "⟨redacted⟩", tags: ["⟨redacted⟩"])
        let row = RedactedTexts.row(feature: "todos", id: 7)
        #expect(App.Action.todos(.loaded([milk, ada])).redacted(row) == .todos(.loaded([milk, gone])))
        let placed = [PlacedTodo(ada, at: 0), PlacedTodo(milk, at: 1)]
        let replaced = [PlacedTodo(gone, at: 0), PlacedTodo(milk, at: 1)]
        #expect(App.Action.todos(.putBack(placed)).redacted(row) == .todos(.putBack(replaced)))
        let edit = App.Action.todos(.edit(7, TodoChanges(title: "Call Eve")))
        #expect(edit.redacted(row) == .todos(.edit(7, TodoChanges(title: "⟨redacted⟩"))))
        #expect(edit.redacted(.row(feature: "posts", id: 7)) == nil)
        #expect(App.Action.todos(.edit(8, TodoChanges(title: "Buy oats"))).redacted(row) == nil)
    }

    @Test func `an action without texts can't be redacted`() {
        let actions: [App.Action] = [
            .counter(.increment), .todos(.remove(3)), .todos(.updateText("")), .stars(.starred("swift")),
        ]
        for action in actions {
            #expect(action.redacted == nil)
        }
        let once = App.Action.todos(.updateText("A secret")).redacted
        #expect(once?.redacted == nil)
    }
}
