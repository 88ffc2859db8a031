import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureApp
import FeatureCounter
import FeaturePosts
import FeatureRepositories
import FeatureTodos
import Testing
import TimeTravel

@Suite struct StepListTests {
    private let milk = App.Action.todos(.add([Todo(title: "Milk")]))

    private func steps(of uid: UInt32? = 1000, limit: Int = .max, at desk: Desk) async throws -> [StepSummary] {
        var cursor = desk.history.steps(of: uid, limit: limit)
        var found: [StepSummary] = []
        while cursor.hasMore { found += try await desk.history.page(of: &cursor) }
        return found
    }

    @Test func `each step is listed as active, undone or redone`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk, .counter(.increment))
            try await desk.do(.todos(.complete(1)))
            try await desk.do(.todos(.remove(1)))
            try await desk.undo(.last(2))
            try await desk.undo(.redo(1))
            try await desk.undo(.steps([1]), insists: true)
            let steps = try await steps(at: desk)
            let redone = steps.first { $0.step == 3 }?.stage
            #expect(steps.map(\.step) == [4, 3, 1])
            #expect(redone == .redone(by: 7) && steps[0].stage == .redone(by: 7))
            #expect(steps[2].stage == .undone(by: steps[2].stage.by ?? 0) && steps[2].stage.by ?? 0 > 7)
            #expect(steps[2].actions == ["todos.add", "counter.increment"] && steps[2].records == 2 && steps[2].last == 2)
        }
    }

    @Test func `each step lists the outcomes of its commands and the number of open ones`() async throws {
        try await Desk.open { desk in
            try await desk.do(.todos(.load))
            try await desk.bringBack()
            try await desk.do(.repositories(.reload))
            let steps = try await steps(at: desk)
            #expect(steps.map(\.open) == [1, 0])
            #expect(steps.map(\.ends) == [[:], [.result: 1]])
            #expect(steps.map(\.records) == [1, 2])
            #expect(steps.allSatisfy { $0.isRequest && $0.stage == .standing })
            try await desk.do(milk, .posts(.fetch))
            let both = try await self.steps(limit: 1, at: desk)
            #expect(both.map(\.isRequest) == [false] && both.first?.actions == ["todos.add", "posts.fetch"])
        }
    }

    @Test func `the steps of a uid do not include typing, undos, or the steps of others`() async throws {
        try await Desk.open { desk in
            try await desk.do(milk, by: 1001)
            try await desk.do(.todos(.updateText("b")))
            try await desk.do(.counter(.increment))
            try await desk.undo()
            #expect(try await steps(at: desk).map(\.step) == [3])
            #expect(try await steps(of: nil, at: desk).map(\.step) == [3, 1])
            #expect(try await steps(of: nil, limit: 1, at: desk).map(\.step) == [3])
        }
    }

    @Test func `the steps of a long log are returned in pages, without duplicates or gaps`() async throws {
        try await Desk.open { desk in
            for _ in 0..<700 { try await desk.do(.counter(.increment)) }
            #expect(try await steps(at: desk).map(\.step) == (1...700).reversed())
        }
    }
}

extension StepSummary.Stage {
    fileprivate var by: UInt64? {
        switch self {
        case .standing: nil
        case .undone(let by), .redone(let by): by
        }
    }
}
