import Chronicle
import TestSupport
import Testing
import TodoAPI

@testable import todoctl

@Suite struct WhatIfPaneTests {
    private let milk = Value.todo(1, "Milk")
    private let dog = Value.todo(2, "Dog")
    private let car = Value.todo(3, "Car")

    private func change(_ kind: Change.Kind, _ id: Int64, at: Int? = nil, old: Value? = nil, new: Value? = nil) -> Change {
        Change(path: "todos.items", kind: kind, id: id, at: at, old: old, new: new)
    }

    @Test func `removed todos stay in place, and removed and added ones are marked`() {
        let changes = [
            change(.remove, 2, at: 1, old: dog), change(.insert, 9, at: 0, new: .todo(9, "Bread")),
            change(.replace, 3, at: 2, old: car, new: .todo(3, "Van")),
        ]
        let (list, marks) = WhatIfPane.marked(TodoList([milk, dog, car]), changes)
        #expect(Set(list.ids) == [9, 1, 2, 3] && list[3]?.title == "Van")
        #expect(marks == [2: .removed, 9: .added, 3: .changed])
        let places = list.ids.filter { $0 != 9 }
        #expect(places == [1, 2, 3])
    }

    @Test(arguments: 1...20)
    func `without its removed todos the list is the what-if result`(seed: UInt64) {
        var random = SeededGenerator(seed)
        let all = (1...30).map { Value.todo(Int64($0), "Todo \($0)") }
        let gone = Set((1...30).filter { _ in Bool.random(using: &random) }.map(Int64.init))
        // Each removal counts positions after the previous ones.
        var (rest, changes) = (all, [Change]())
        for element in all {
            guard let id = element["id"]?.int, gone.contains(id), let place = rest.firstIndex(of: element) else { continue }
            changes.append(change(.remove, id, at: place, old: element))
            rest.remove(at: place)
        }
        let (list, marks) = WhatIfPane.marked(TodoList(all), changes)
        #expect(list.ids == all.compactMap { $0["id"]?.int })
        #expect(Set(marks.keys) == gone)
        #expect(list.ids.filter { marks[$0] == nil } == rest.compactMap { $0["id"]?.int })
    }

    @Test func `the pane lists commands that would not have run, and says that nothing is written`() throws {
        var pane = WhatIfPane(record: 12, sentence: "added 2: Dog", TodoList([milk, dog]))
        #expect(pane.lines(width: 60).text.contains("What if @12 had not come?"))
        pane.take(WhatIfMethod.Output(reached: 40), isLast: false)
        #expect(pane.lines(width: 60).text.contains("@40"))
        let command = CommandMessage(name: "todos.load", version: 1, presentational: false, arguments: [:])
        let missing = MissingCommandMessage(command: command, reason: "notAsked", outcome: "result")
        pane.take(
            WhatIfMethod.Output(
                reached: 50, from: 11, to: 50, changes: [change(.remove, 2, at: 1, old: dog)], records: [], notRun: [missing],
                wouldRun: [], skipped: 1, vanished: 0), isLast: true)
        let text = pane.lines(width: 60).text
        #expect(text.contains("Dog is gone") && text.contains("would not run todos.load") && text.contains("Nothing is written."))
        #expect(pane.mark(of: 2) == .removed && pane.todos.ids == [1, 2])
    }
}

extension PaneLines {
    /// All lines as text.
    var text: String { lines.map { $0.map(\.text).joined() }.joined(separator: "\n") }
}
