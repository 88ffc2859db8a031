import Testing
import TodoAPI

@Suite struct SpellingTests {
    private let actions = ["todos.add", "todos.edit", "todos.remove", "posts.add", "counter.increment", "counter.reset"]

    @Test func `a misspelt name finds those that look like it, the likest first`() {
        let names = ["StaleSequence", "QueryBusy", "StoreBusy", "Locked", "CounterAtMinimum", "CounterAtMaximum"]
        #expect(Spelling.nearest(to: "StaleSequense", in: names) == ["StaleSequence"])
        #expect(Spelling.nearest(to: "busy", in: names) == ["QueryBusy", "StoreBusy"])
        #expect(Spelling.nearest(to: "Lokced", in: names) == ["Locked"])
        #expect(Spelling.nearest(to: "counter", in: names) == ["CounterAtMaximum", "CounterAtMinimum"])
        #expect(Spelling.nearest(to: "xylophone", in: names).isEmpty && Spelling.nearest(to: "", in: names).isEmpty)
    }

    @Test func `who misspelt a name is asked for the one that was meant, or told those that there are`() {
        #expect(Spelling.proposal(for: "todo", among: ["todos", "counter"]) == "did you mean todos?")
        #expect(Spelling.proposal(for: "a", among: ["b", "c", "d"]) == "did you mean b, c or d?")
        #expect(Spelling.proposal(for: "xylophone", among: ["todos", "counter"]) == "there are todos, counter.")
    }

    @Test(arguments: [
        ("todo.addd", nil, "There is no action named todo.addd; did you mean todos.add?"),
        ("ad", nil, "There is no action named ad; did you mean add?"),
        ("todos.sing", nil, "There is no action named todos.sing; there are todos.add, todos.edit, todos.remove."),
        ("rest", "counter", "There is no action named rest in counter; did you mean reset?"),
        ("todos.add", "counter", "There is no action named todos.add in counter; there are counter.increment, counter.reset."),
    ])
    func `an action that there is not is refused with the one that was meant`(
        name: String, feature: String?, sentence: String
    ) {
        #expect(APIError.unknownAction(name, of: feature, known: actions) == .unknownAction(message: sentence, name: name))
    }

    @Test func `so are a feature and a scope`() {
        #expect(
            APIError.unknownFeature("todo", known: ["todos", "counter"])
                == .unknownFeature(message: "There is no feature named todo; did you mean todos?", feature: "todo"))
        let scopes = ["todos", "todos.items", "counter", "counter.count"]
        #expect(
            APIError.unknownScope("todos.item", known: scopes)
                == .unknownScope(message: "There is no scope named todos.item; did you mean todos.items?", scope: "todos.item"))
        let all = "There is no scope named xylophone; there are todos, counter, and the fields of each."
        #expect(APIError.unknownScope("xylophone", known: scopes) == .unknownScope(message: all, scope: "xylophone"))
    }
}
