import Testing
import TodoAPI

@Suite struct SpellingTests {
    private let actions = ["todos.add", "todos.edit", "todos.remove", "posts.add", "counter.increment", "counter.reset"]

    @Test(arguments: [
        ("todo.addd", nil, "There is no action named todo.addd; did you mean todos.add?"),
        ("ad", nil, "There is no action named ad; did you mean add?"),
        ("todos.sing", nil, "There is no action named todos.sing; there are todos.add, todos.edit, todos.remove."),
        ("rest", "counter", "There is no action named rest in counter; did you mean reset?"),
        ("", nil, "The name of the action is empty: \"\"."), ("xylophone", nil, "There is no action named xylophone."),
        ("todos.add", "counter", "There is no action named todos.add in counter; there are counter.increment, counter.reset."),
    ])
    func `an unknown action is refused with a suggestion`(
        name: String, feature: String?, sentence: String
    ) {
        #expect(APIError.unknownAction(name, of: feature, known: actions) == .unknownAction(message: sentence, name: name))
    }

    @Test func `an unknown feature or scope is refused with a suggestion`() {
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
