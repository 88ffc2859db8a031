import Chronicle
import ChronicleLog
import ChronicleStore
import ChronicleTesting
import FeatureApp
import FeatureCounter
import FeatureTodos
import Testing
import TimeTravel

@Suite struct ConcurrentUndoTests {
    private let milk = App.Action.todos(.add([Todo(title: "Milk")]))

    private func type(_ text: String, step: UInt64? = nil, at desk: Desk) async throws -> UInt64 {
        let typing = Dispatch([App.Action.todos(.updateText(text))], origin: 1001, step: step)
        return try await desk.store.dispatch(typing).sequences.lowerBound
    }

    @Test func `an undo is outdated by another undo or a record of its step, and not by a record of another step`() async throws {
        try await Desk.open { desk in
            let step = try await desk.do(milk)
            let typed = try await type("b", at: desk)
            let through = desk.head
            _ = try await type("br", step: typed, at: desk)
            let compensation = { (step: UInt64) in
                UndoBatch<App>(origin: 1000, cancelling: .steps([step], expecting: []), through: through) {
                    _, _ throws(StoreError) in [.init(undoes: step, actions: [.counter(.increment)])]
                }
            }
            await #expect(throws: StoreError.outdated) { try await desk.store.compensate(compensation(typed)) }
            _ = try await desk.store.compensate(compensation(step))
            #expect(desk.state.counter.count == 1)
            await #expect(throws: StoreError.outdated) { try await desk.store.compensate(compensation(step)) }
            #expect(desk.store.status.refused == 0)
        }
    }

    @Test func `thousands of records of other steps do not outdate an undo`() async throws {
        try await Desk.open { desk in
            let step = try await desk.do(milk)
            let through = desk.head
            for _ in 0..<3 {
                let many = Array(repeating: App.Action.counter(.increment), count: Int(Limits.meanwhileRecordsMax))
                _ = try await desk.store.dispatch(Dispatch(many, origin: 1001))
            }
            let compensation = UndoBatch<App>(origin: 1000, cancelling: .steps([step], expecting: []), through: through) {
                _, _ throws(StoreError) in [.init(undoes: step, actions: [.todos(.remove(1))])]
            }
            _ = try await desk.store.compensate(compensation)
            #expect(desk.state.todos.items.isEmpty)
        }
    }

    @Test func `a concurrent reset is a conflict for an undo of an earlier increment`() async throws {
        let log = FailingLog()
        try await Desk.open(log) { desk in
            let increment = try await desk.do(.counter(.increment))
            log.hold()
            async let reset = desk.do(.counter(.reset), by: 1001)
            try await log.appending(2)
            async let met = desk.error(.steps([increment]))
            while desk.store.status.waitingDispatches == 0 { await Task.yield() }
            log.release()
            _ = try await reset
            #expect(await met == .conflict([Conflict("counter.count", expected: .int(1), found: .int(0))]))
        }
    }

    @Test func `undos and redos work while another user types continuously`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk)
            let done = desk.state.todos.items
            let typed = try await type("b", at: desk)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { while !Task.isCancelled { _ = try await type("br", step: typed, at: desk) } }
                }
                for _ in 0..<20 {
                    try await desk.undo()
                    #expect(desk.state.todos.items.isEmpty)
                    try await desk.undo(.redo(1))
                    #expect(desk.state.todos.items == done)
                }
                group.cancelAll()
            }
        }
    }

    // Without fairness, each of these undos would wait for most of a minute.
    @Test(.timeLimit(.minutes(15)), arguments: [true, false])
    func `continuous undo requests for a step that grows do not delay other users`(isDryRun: Bool)
        async throws
    {
        try await Desk.open { desk in
            let typed = try await type("b", at: desk)
            for _ in 0..<30 {
                _ = try await desk.store.dispatch(
                    Dispatch(Array(repeating: App.Action.counter(.increment), count: 100), origin: 1001))
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { while !Task.isCancelled { _ = try? await type("br", step: typed, at: desk) } }
                for _ in 0..<6 {
                    group.addTask {
                        while !Task.isCancelled { _ = try? await desk.undo(.steps([typed]), by: 1001, isDryRun: isDryRun) }
                    }
                }
                for _ in 0..<5 {
                    try await desk.do(milk)
                    try await desk.undo()
                }
                group.cancelAll()
            }
        }
    }

    @Test(.timeLimit(.minutes(15)))
    func `continuous undos and redos of one user do not delay another user`() async throws {
        try await Desk.open { desk in
            for _ in 0..<40 { try await desk.do(milk, by: 1001) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        while !Task.isCancelled {
                            _ = try? await desk.undo(by: 1001)
                            _ = try? await desk.undo(.redo(1), by: 1001)
                        }
                    }
                }
                for _ in 0..<5 {
                    try await desk.do(.counter(.increment))
                    try await desk.undo()
                }
                group.cancelAll()
            }
        }
    }

    @Test func `an undo that is repeated with a key is not counted as a refusal`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk)
            let first = try await desk.undo(key: "once")
            #expect(try await desk.undo(key: "once").steps == first.steps)
            #expect(desk.store.status.refused == 0)
        }
    }
}
