import Chronicle
import ChronicleStore
import FeatureApp
import FeatureTodos
import Testing
import TimeTravel

/// A fork is identified by its contents, wherever its files are.
@Suite struct CopiedForkTests {
    private func add(_ titles: String...) -> App.Action { .todos(.add(titles.map { Todo(title: $0) })) }

    private func titles(_ desk: Desk) -> [String] { desk.state.todos.items.elements.map(\.title).sorted() }

    /// Checks that a merge is refused with a message and changes nothing.
    private func refuses(_ fork: Fork, into desk: Desk, because part: String) async throws {
        let head = desk.head
        do {
            try await fork.merge(into: desk, insists: true)
            Issue.record("it was merged: \(titles(desk))")
        } catch StoreError.badFork(let why) {
            #expect(why.contains(part), "\(why)")
        }
        #expect(desk.head == head)
    }

    @Test func `the common records of a fork and its copies are merged once, whichever comes first`() async throws {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            try await Fork.open(after: { try await $0.do(add("Milk")) }) { desk, fork in
                try await fork.desk.do(add("Cheese"))
                try await fork.copy(epoch: 78) { copy in
                    try await fork.copy(epoch: 79) { twin in
                        let forks = order.map { [fork, copy, twin][$0] }
                        for one in forks { try await one.merge(into: desk) }
                        #expect(titles(desk) == ["Cheese", "Milk"])
                        try await forks[1].desk.do(add("Oil"))
                        try await forks[1].merge(into: desk)
                        #expect(titles(desk) == ["Cheese", "Milk", "Oil"])
                        // The two forks have diverged by now, or are about to.
                        try await refuses(forks[0], into: desk, because: "through record 3, and what is given of it ends at 2")
                        try await forks[0].desk.do(add("Oil"))
                        try await refuses(forks[0], into: desk, because: "Its record 3 is another")
                        try await forks[1].desk.do(add("Salt"))
                        try await forks[1].merge(into: desk)
                        #expect(titles(desk) == ["Cheese", "Milk", "Oil", "Salt"])
                    }
                }
            }
        }
    }

    @Test func `a fork that was moved continues where it was merged and is the same fork`() async throws {
        try await Fork.open { desk, fork in
            try await fork.desk.do(add("Eggs"))
            try await fork.merge(into: desk)
            try await fork.copy(epoch: 78) { moved in
                try await moved.desk.do(.todos(.edit(1, TodoChanges(title: "Six eggs"))), add("Salt"))
                try await moved.merge(into: desk)
                #expect(titles(desk) == ["Salt", "Six eggs"])
                try await moved.copy(epoch: 79) { again in
                    #expect(try await again.merge(into: desk).step == 0)
                    try await again.desk.do(add("Tea"))
                    try await again.merge(into: desk)
                    #expect(titles(desk) == ["Salt", "Six eggs", "Tea"])
                }
            }
        }
    }

    @Test func `a fork that was restored and diverged from its merged part is refused until that merge is undone`() async throws {
        try await Fork.open { desk, fork in
            let first = try await fork.desk.do(add("Eggs"))
            try await fork.merge(into: desk)
            try await fork.desk.do(add("Old one"))
            try await fork.desk.do(add("Old two"))
            let second = try await fork.merge(into: desk)
            // As if its files were restored in place: the epoch stays the same.
            try await fork.copy(through: first, epoch: 77) { back in
                try await back.desk.do(add("New one"))
                try await refuses(back, into: desk, because: "through record 3, and what is given of it ends at 2")
                try await back.desk.do(add("New two"))
                try await refuses(back, into: desk, because: "Its record 3 is another")
                try await back.desk.do(add("New three"))
                try await refuses(back, into: desk, because: "Its record 3 is another")
                try await desk.undo(.steps([second.step]))
                try await back.merge(into: desk)
                #expect(titles(desk) == ["Eggs", "New one", "New three", "New two"])
                try await refuses(fork, into: desk, because: "what is given of it ends at 3")
            }
        }
    }

    @Test func `another fork from the same moment is a different fork`() async throws {
        try await Fork.open(after: { try await $0.do(add("Milk")) }) { desk, fork in
            try await fork.copy(epoch: 77) { other in
                try await fork.desk.do(add("Eggs"))
                try await other.desk.do(add("Eggs"))
                try await fork.merge(into: desk)
                try await other.merge(into: desk)
                #expect(titles(desk) == ["Eggs", "Eggs", "Milk"])
                #expect(try await fork.merge(into: desk).step == 0)
            }
        }
    }
}
