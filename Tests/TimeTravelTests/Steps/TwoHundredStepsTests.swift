import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureAlerts
import FeatureApp
import FeatureCounter
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import TestSupport
import Testing
import TimeTravel

@Suite struct TwoHundredStepsTests {
    @Test(arguments: [1, 2] as [UInt64])
    func `each of 200 mixed steps can be undone and redone right away`(seed: UInt64) async throws {
        var dice = SeededGenerator(seed)
        try await Desk.open { desk in
            for number in 1...200 {
                let before = desk.state
                guard let step = try await step(desk, &dice) else { continue }
                let after = desk.state
                if before.withoutNextIDs == after.withoutNextIDs { continue }
                let head = desk.head
                let undone = try await desk.undo(.steps([step]))
                try await desk.bringBack()
                #expect(desk.state.withoutNextIDs == before.withoutNextIDs, "undo \(number)")
                try await desk.undo(.redo(1))
                try await desk.bringBack()
                #expect(desk.state.withoutNextIDs == after.withoutNextIDs, "redo \(number)")
                #expect(desk.head > head && undone.step > head)
            }
            #expect(try await desk.history.verify().damages.isEmpty)
        }
    }

    @Test func `200 mixed steps are undone one after another and all redone, across a restart`() async throws {
        var dice = SeededGenerator(7)
        let log = InMemoryActionLog()
        var states: [App.State] = []
        var steps: [UInt64] = []
        try await Desk.open(log) { desk in
            states.append(desk.state)
            while states.count <= 200 {
                let before = desk.state
                guard let step = try await step(desk, &dice), desk.state.withoutNextIDs != before.withoutNextIDs else { continue }
                states.append(desk.state)
                steps.append(step)
            }
            // By number, because an undo of the last step skips steps that only query.
            for place in (100..<200).reversed() {
                try await desk.undo(.steps([steps[place]]))
                try await desk.bringBack()
                #expect(desk.state.withoutNextIDs == states[place].withoutNextIDs, "undo to \(place)")
            }
        }
        try await Desk.open(log) { desk in
            for place in (0..<100).reversed() {
                try await desk.undo(.steps([steps[place]]))
                try await desk.bringBack()
                #expect(desk.state.withoutNextIDs == states[place].withoutNextIDs, "undo to \(place)")
            }
            #expect(await desk.error() == .nothingToUndo)
            for place in 1...200 {
                try await desk.undo(.redo(1))
                try await desk.bringBack()
                #expect(desk.state.withoutNextIDs == states[place].withoutNextIDs, "redo to \(place)")
            }
            #expect(await desk.error(.redo(1)) == .nothingToRedo)
        }
    }

    /// Dispatches a random action and completes its commands.
    ///
    /// - Returns: the step, or `nil` if the action was refused or is typing.
    private func step(_ desk: Desk, _ dice: inout SeededGenerator) async throws -> UInt64? {
        let action = action(in: desk.state, &dice)
        if App.kind(of: action) == .edit { return nil }
        guard let answer = try? await desk.store.dispatch(Dispatch([action], origin: 1000)) else { return nil }
        try await desk.bringBack()
        return answer.sequences.lowerBound
    }

    private func action(in state: App.State, _ dice: inout SeededGenerator) -> App.Action {
        let id = state.todos.items.elements.map(\.id).randomElement(using: &dice) ?? 1
        let text = ["Milk", "Bread", "Call Ada", "Été à la mer"].randomElement(using: &dice) ?? ""
        let language = ["Swift", "C++", "Java"].randomElement(using: &dice) ?? ""
        switch Int.random(in: 0...23, using: &dice) {
        case 0, 1, 2: return .todos(.add([Todo(title: text, tags: ["home"]), Todo(title: text, note: "n")]))
        case 3: return .todos(.edit(id, TodoChanges(title: text, priority: .high)))
        case 4:
            let after = id > 1 ? [id - 1] : []
            return .todos(.edit(id, TodoChanges(note: text, tags: ["shop"], due: .clear, after: after)))
        case 5, 6: return .todos(.complete(id))
        case 7: return .todos(.reopen(id))
        case 8: return .todos(.remove(id))
        case 9: return .todos(.move(id, to: Int.random(in: 0...5, using: &dice)))
        case 10: return .todos(.clearCompleted())
        case 11: return .todos(.load)
        case 12: return .counter(.increment)
        case 13: return .counter(.decrement)
        case 14: return .counter(.reset)
        case 15: return .posts(.fetch)
        case 16: return .posts(.more)
        case 17: return .posts(.add(state.posts.items.elements.randomElement(using: &dice)?.id ?? 1))
        case 18: return .stars(.press(["swift", "zig"].randomElement(using: &dice) ?? ""))
        case 19: return .repositories(.reload)
        case 20: return .repositories(.setLanguage(language))
        case 21: return .flows(.start(kind: ["welcome", "language"].randomElement(using: &dice) ?? ""))
        case 22:
            return .flows(
                .answer(state.flows.items.elements.last?.id ?? 1, [language, "posts"].randomElement(using: &dice) ?? ""))
        default: return .flows(.cancel(state.flows.items.elements.first?.id ?? 1))
        }
    }
}
