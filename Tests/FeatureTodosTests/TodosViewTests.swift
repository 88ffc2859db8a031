import Chronicle
import FeatureTodos
import Testing

@Suite struct TodosViewTests {
    @Test func `the title has the number of todos, and nothing else changes it`() throws {
        var state = Todos.State()
        #expect(Todos.view(of: state)["title"] == "TODO - (0)")
        try state.dispatch(.updateText("abc"))
        #expect(Todos.view(of: state)["title"] == "TODO - (0)")
        try state.dispatch(.submit)
        #expect(Todos.view(of: state)["title"] == "TODO - (1)")
        try state.dispatch(.complete(1))
        #expect(Todos.view(of: state)["title"] == "TODO - (1)")
        try state.dispatch(.edit(1, TodoChanges(title: "abcd")))
        try state.dispatch(.load)
        #expect(Todos.view(of: state)["title"] == "TODO - (1)")
        try state.dispatch(.remove(1))
        #expect(Todos.view(of: state)["title"] == "TODO - (0)")
    }

    @Test(arguments: [
        ("", false), ("ab", false), ("abc", true), ("a\u{301}\u{302}", false), ("😀😀😀", true), (" ab ", false), (" abc ", true),
    ])
    func `adding is enabled from three characters on`(draft: String, isEnabled: Bool) {
        let state = Todos.State(items: [], draft: draft)
        #expect(Todos.view(of: state)["addEnabled"] == .bool(isEnabled))
        #expect((refusal(of: .submit, in: state) == nil) == isEnabled)
    }

    @Test func `there are two sections, one row for the input and one for each todo`() {
        let view = Todos.view(of: Todos.State(items: [milk, dog]))
        #expect(view["sections"] == [1, 2])
        #expect(
            view["rows"] == [["id": 1, "text": "Buy the milk", "done": false], ["id": 2, "text": "Take my dog", "done": false]])
    }

    /// Returns the action for a tap on a row, found only through the view, as a screen does.
    private func tapped(row: Int, section: Int, on view: Value) throws -> Todos.Action? {
        guard case .list(let selections)? = view["selections"], case .text(let name) = selections[section], !name.isEmpty,
            case .list(let rows)? = view["rows"], let id = rows[row]["id"]
        else { return nil }
        return try Todos.Action(.record([.init(name, ["id": id])]))
    }

    @Test func `selecting a todo removes it, and selecting the input row does nothing`() throws {
        var state = Todos.State()
        for title in ["one", "two", "three"].reversed() { try state.dispatch(.add([Todo(title: title)])) }
        let view = Todos.view(of: state)
        #expect(view["sections"] == [1, 3])
        #expect(try tapped(row: 0, section: 0, on: view) == nil)
        try state.dispatch(#require(try tapped(row: 1, section: 1, on: view)))
        #expect(state.items.elements.map(\.title) == ["one", "three"])
        #expect(try tapped(row: 0, section: 0, on: Todos.view(of: Todos.State(items: [], draft: "abc"))) == nil)
    }

    @Test func `the summary excludes the todos, and the list has pages of them`() throws {
        let state = Todos.State(items: [milk, dog, car], draft: "abc")
        #expect(Todos.summary(of: state) == ["items": [], "draft": "abc", "loading": false, "nextID": 4])
        let list = try #require(Todos.lists(of: state).first)
        #expect(list.path == "items" && list.count == 3)
        #expect(list.elements(1..<3) == [dog.value, car.value])
        #expect(list.elements(0..<0) == [])
    }
}
