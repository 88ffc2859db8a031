import Chronicle
import ChronicleLog
import ChronicleStore
import DiskLog
import FeatureApp
import FeatureCounter
import FeaturePosts
import FeatureStars
import FeatureTodos
import Testing
import TimeTravel

@Suite struct WhatIfTests {
    /// Record 1 adds bread, 2 loads, 3 adds milk, 4 is the result of 2, 5 completes milk, and 6 increments the counter.
    private func shopping() async throws -> Story {
        try await .tell { story in
            try await story.dispatch(.todos(.add([Todo(title: "Bread")])))
            try await story.dispatch(.todos(.load))
            try await story.dispatch(.todos(.add([Todo(title: "Milk")])))
            try await story.answer("todos.load", with: .todos(.loaded(["Tea", "Rum", "Ice"].map { Todo(title: $0) })))
            try await story.dispatch(.todos(.complete(2)))
            try await story.dispatch(.counter(.increment))
        }
    }

    private func titles(_ answer: WhatIfResult<App>) -> [String] { answer.state.todos.items.elements.map(\.title) }

    private func titles(_ story: Story) -> [String] { story.store.present.state.todos.items.elements.map(\.title) }

    @Test func `a query without a load lacks its todos, lists its command as not run, and writes nothing`() async throws {
        let story = try await shopping()
        let (head, open) = (story.log.head, try story.log.outbox())
        let answer = try await story.history.whatIf(WhatIfQuery([.skip(2...2)]))
        #expect(titles(story) == ["Tea", "Rum", "Ice", "Milk", "Bread"])
        #expect(titles(answer) == ["Milk", "Bread"])
        #expect(answer.state.todos.loading == false)
        #expect(answer.changes.filter { $0.kind == .remove }.count == 3)
        #expect(answer.notRun.map(\.id) == [CommandID(sequence: 2, index: 0)])
        #expect(answer.notRun.map(\.call.name) == ["todos.load"])
        #expect(answer.notRun.map(\.outcome) == [.result])
        #expect(answer.notRun.map(\.reason) == [.notAsked])
        #expect(answer.wouldRun.isEmpty)
        #expect(answer.events.map { "\($0.place) \($0.kind)" } == ["2 skipped", "4 vanished"])
        #expect((answer.from, answer.to) == (1, 6))
        #expect(story.log.head == head)
        #expect(try story.log.outbox() == open)
    }

    @Test func `results can be kept, and a record can be skipped alone`() async throws {
        let story = try await shopping()
        let kept = try await story.history.whatIf(WhatIfQuery([.skip(2...2)], keepsResults: true))
        #expect(titles(kept) == titles(story))
        #expect(kept.notRun.map(\.id.sequence) == [2])
        let alone = try await story.history.whatIf(WhatIfQuery([.skip(4...4)], recordsOnly: true))
        #expect(titles(alone) == ["Milk", "Bread"])
        #expect(alone.state.todos.loading)
        #expect(alone.notRun.isEmpty)
        // The result belongs to the step of the load.
        let step = try await story.history.whatIf(WhatIfQuery([.skip(4...4)]))
        #expect(titles(step) == ["Milk", "Bread"])
        #expect(!step.state.todos.loading)
        #expect(step.notRun.map(\.id.sequence) == [2])
    }

    @Test func `skipping a record skips its whole step, unless only records are skipped`() async throws {
        let story = try await Story.tell { story in
            let first = try await story.dispatch(.counter(.increment), .counter(.increment))
            try await story.dispatch(.counter(.increment))
            try await story.dispatch(.counter(.increment), step: first)
        }
        let steps = try await story.history.whatIf(WhatIfQuery([.skip(2...2)]))
        #expect(steps.state.counter.count == 1)
        #expect(steps.events.map(\.place.sequence) == [1, 2, 4])
        let records = try await story.history.whatIf(WhatIfQuery([.skip(2...2)], recordsOnly: true))
        #expect(records.state.counter.count == 3)
    }

    @Test func `a compacted log knows the commands that were requested before its base`() async throws {
        try await withTemporaryDirectory { directory in
            let log = try LMDBActionLog.open(directory: directory, configuration: .small)
            let story = try await Story.tell(in: log) { story in
                try await story.dispatch(.counter(.increment))
                try await story.dispatch(.todos(.load))
                try await story.dispatch(.counter(.increment))
                try await story.dispatch(.todos(.load))
                try await story.answer("todos.load", with: .todos(.loaded([Todo(title: "Tea")])))
                try await story.dispatch(.counter(.increment))
            }
            let question = WhatIfQuery<App>([.skip(4...4)])
            let whole = try await story.history.whatIf(question)
            #expect(whole.wouldRun.map(\.place.sequence) == [2] && whole.vanishedCount > 0)
            // The second compaction keeps what the first one kept.
            let pasts = [try await story.history.state(at: .sequence(2)), try await story.history.state(at: .sequence(3))]
            for past in pasts {
                try log.compact(to: past)
                let history = History<App>(log, snapshots: nil, fingerprint: "code", base: past)
                let answer = try await history.whatIf(question)
                #expect(answer.wouldRun.map(\.place) == whole.wouldRun.map(\.place) && answer.notRun == whole.notRun)
                #expect(answer.state == whole.state && answer.vanishedCount == whole.vanishedCount)
                #expect(try await history.verify().damages == [])
            }
        }
    }

    @Test func `skipping an undo also skips its cancellation of commands`() async throws {
        let story = try await Story.tell { story in
            try await story.dispatch(.todos(.add([Todo(title: "Bread")])), .todos(.load))
            _ = try await Undoer(story.store, story.history).undo(.last(1), UndoCall(origin: 1000))
        }
        #expect(story.log.head.sequence > 3)
        for sequence in 3...story.log.head.sequence {
            let answer = try await story.history.whatIf(WhatIfQuery([.skip(sequence...sequence)]))
            #expect(titles(answer) == ["Bread"] && answer.state.todos.loading, "\(sequence)")
            #expect(answer.skippedCount == story.log.head.sequence - 2)
        }
    }

    @Test func `a what-if query at a moment ends there`() async throws {
        let story = try await shopping()
        let answer = try await story.history.whatIf(WhatIfQuery([.skip(1...1)], at: .sequence(3)))
        #expect(titles(answer) == ["Milk"])
        #expect(answer.to == 3)
        #expect(answer.notRun.isEmpty)
    }

    @Test func `an edited todo keeps its id, so later records refer to it`() async throws {
        let story = try await shopping()
        let answer = try await story.history.whatIf(WhatIfQuery([.edit(3, .todos(.add([Todo(title: " Oats ")])))]))
        #expect(titles(answer) == ["Tea", "Rum", "Ice", "Oats", "Bread"])
        #expect(answer.state.todos.items[2]?.isCompleted == true)
        #expect(answer.events.map(\.kind) == [.edited])
        #expect(answer.state.todos.items[2]?.created == story.store.present.state.todos.items[2]?.created)
    }

    @Test(arguments: [("k\u{E9}", "ke\u{301}"), ("k", "l")])
    func `an edit replaces only its own dispatch, even if the key of another looks alike`(keys: (String, String)) async throws {
        let story = try await Story.tell { story in
            let first = try await story.dispatch(.todos(.add([Todo(title: "Milk")])), key: keys.0)
            try await story.dispatch(.todos(.add([Todo(title: "Bread")])), step: first, key: keys.1)
        }
        let answer = try await story.history.whatIf(WhatIfQuery([.edit(1, .todos(.add([Todo(title: "Oats")])))]))
        #expect(titles(answer) == ["Bread", "Oats"])
        #expect(answer.events.map(\.kind) == [.edited])
    }

    @Test func `inserted todos get ids that the log never assigned`() async throws {
        let story = try await shopping()
        let answer = try await story.history.whatIf(
            WhatIfQuery(
                [.insert(after: 1, .todos(.add([Todo(title: "Figs")]))), .insert(after: 1, .counter(.increment))], origin: 1001))
        #expect(titles(answer) == ["Tea", "Rum", "Ice", "Milk", "Figs", "Bread"])
        #expect(answer.state.todos.items[6]?.title == "Figs")
        #expect(answer.events.map(\.place.description) == ["1.1", "1.2"])
        #expect(answer.state.counter.count == 2)
        // An edit that creates more todos than its record did does not use the ids of later ones.
        let more = try await story.history.whatIf(
            WhatIfQuery([.edit(1, .todos(.add([Todo(title: "Pears"), Todo(title: "Plums")])))]))
        #expect(titles(more) == ["Tea", "Rum", "Ice", "Milk", "Pears", "Plums"])
    }

    @Test func `an action can be inserted before the first record`() async throws {
        let story = try await shopping()
        let answer = try await story.history.whatIf(WhatIfQuery([.insert(after: 0, .todos(.add([Todo(title: "Figs")])))]))
        #expect(titles(answer).last == "Figs")
        #expect(answer.events.map(\.place.description) == ["0.1"])
        #expect(answer.from == 0)
        let first = try story.records[0].header.time
        #expect(answer.state.todos.items[6]?.created == first)
    }

    @Test func `an edited result replaces the original one`() async throws {
        let story = try await shopping()
        let answer = try await story.history.whatIf(WhatIfQuery([.edit(4, .todos(.loaded([Todo(title: "Gin")])))]))
        #expect(titles(answer) == ["Gin", "Milk", "Bread"])
        #expect(answer.notRun.isEmpty)
    }

    @Test func `an inserted command would run and displaces an open one`() async throws {
        let story = try await shopping()
        let answer = try await story.history.whatIf(WhatIfQuery([.insert(after: 3, .todos(.load))]))
        #expect(answer.wouldRun.map { "\($0.place).\($0.index)" } == ["3.1.0"])
        #expect(answer.wouldRun.map(\.call.name) == ["todos.load"])
        #expect(answer.notRun.map(\.reason) == [.displaced])
        #expect(titles(answer) == ["Milk", "Bread"])
        #expect(answer.state.todos.loading)
        // The displaced command was requested before the fold begins.
        #expect(answer.from == 3)
    }

    @Test func `a command that a skipped one displaced would have continued`() async throws {
        let story = try await Story.tell { story in
            try await story.dispatch(.posts(.fetch))
            try await story.dispatch(.posts(.fetch))
            try await story.answer("posts.fetch", with: .posts(.set([Post(key: "k", title: "News")], nextPage: 0)))
        }
        let answer = try await story.history.whatIf(WhatIfQuery([.skip(2...2)]))
        #expect(answer.notRun.map(\.id.sequence) == [2])
        #expect(answer.wouldRun.map { "\($0.place).\($0.index) \($0.reason)" } == ["1.0 notDisplaced"])
        #expect(answer.state.posts.items.count == 0)
        #expect(answer.state.posts.loading)
    }

    @Test func `a skipped or edited action does not run the command that it had requested`() async throws {
        let story = try await Story.tell { story in
            try await story.dispatch(.stars(.press("a")))
            try await story.answer("stars.star", with: .stars(.starred("a")))
            try await story.dispatch(.stars(.press("a")))
            try await story.answer("stars.unstar", with: .stars(.unstarred("a")))
        }
        // Without the first press the button never had a star to remove.
        let skipped = try await story.history.whatIf(WhatIfQuery([.skip(1...1)]))
        #expect(skipped.notRun.map(\.call.name) == ["stars.star", "stars.unstar"])
        #expect(skipped.state.stars["a"].phase == .unstar)
        // The edit presses another button.
        let edited = try await story.history.whatIf(WhatIfQuery([.edit(1, .stars(.press("b")))]))
        #expect(edited.notRun.map(\.call.name) == ["stars.star", "stars.unstar"])
        #expect(edited.wouldRun.map(\.call.name) == ["stars.star"])
        #expect(edited.state.stars["b"].phase == .staring)
    }

    @Test func `skipping a step also skips its undo and redo`() async throws {
        let log = InMemoryActionLog()
        var flush = Flush(after: log.head)
        func add(_ action: Counter.Action, undoing step: UInt64? = nil) {
            let header = RecordHeader(
                sequence: flush.sequence + 1, time: flush.time + 1_000, step: flush.sequence + 1, undoes: step)
            flush.stage(header) { App.Action.counter(action).encode(into: &$0) }
        }
        add(.increment)
        add(.increment)
        add(.decrement, undoing: 1)
        add(.increment, undoing: 3)
        try log.append(flush)
        let history = History(log, snapshots: nil, fingerprint: "code", base: PastState<App>(state: App.State()))
        let answer = try await history.whatIf(WhatIfQuery([.skip(1...1)]))
        #expect(answer.state.counter.count == 1)
        #expect(answer.events.map(\.place.sequence) == [1, 3, 4])
        let alone = try await history.whatIf(WhatIfQuery([.skip(1...1)], recordsOnly: true))
        #expect(alone.state.counter.count == 1)
        #expect(alone.events.map(\.place.sequence) == [1])
    }

    @Test func `an impossible edit is refused, and the error names it`() async throws {
        let story = try await shopping()
        let history = story.history
        func error(_ edits: [Edit<App.Action>], at point: Point = .now) async -> StoreError? {
            do {
                _ = try await history.whatIf(WhatIfQuery(edits, at: point))
                return nil
            } catch { return error }
        }
        let edit = Edit<App.Action>.edit(1, .counter(.increment))
        let problems: [(edits: [Edit<App.Action>], index: Int, word: String)] = [
            ([.skip(0...1)], 0, "begins"), ([edit, .skip(5...6)], 1, "after 5"), ([edit, edit], 1, "twice"),
            ([edit, .skip(1...2)], 0, "skipped"), ([.insert(after: 6, .counter(.reset))], 0, "after 5"),
        ]
        for other: Edit<App.Action> in [.skip(5...7), .insert(after: 7, .counter(.reset))] {
            #expect(await error([edit, other]) == .futureSequence(head: 6))
        }
        for problem in problems {
            guard case .badEdit(let index, let what)? = await error(problem.edits, at: .sequence(5)) else {
                Issue.record("not refused: \(problem.edits)")
                continue
            }
            #expect(index == problem.index)
            #expect(what.contains(problem.word), "\(what)")
        }
        guard case .refusedEdit(1, let refusal)? = await error([edit, .edit(2, .todos(.complete(77)))]) else {
            Issue.record("not refused")
            return
        }
        #expect(refusal.name == "UnknownID")
        #expect(await error([.skip(1...1)], at: .sequence(9)) == .futureSequence(head: 6))
    }
}
