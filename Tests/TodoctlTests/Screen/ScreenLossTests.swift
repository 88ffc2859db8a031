import Chronicle
import Terminal
import Testing
import TodoAPI
import Varlink

@testable import todoctl

/// Tests with concurrent writers, another log, or clocks that go back: nothing false is shown, and no input is lost.
@Suite struct ScreenLossTests {
    private let milk = Value.todo(1, "Milk", [.init("note", "two bottles")])

    private func loaded() -> SimulatedScreen {
        var screen = SimulatedScreen()
        screen.load([milk, .todo(2, "Dog")])
        screen.requests = []
        return screen
    }

    private func undo(_ step: Int64, outcome: Value? = nil) -> Value {
        let removed = Change(path: "todos.items", kind: .remove, id: 2, at: 1, old: .todo(2, "Dog"))
        let answer: Value = [
            "epoch": 1, "steps": [.int(step)], "duplicate": false, "changes": .list([removed.value]), "commands": [],
            "effects": [],
        ]
        return .record((answer.record ?? []) + [outcome.map { .init("outcome", $0) }].compactMap { $0 })
    }

    @Test func `a preview is requested again after other changes and can't be confirmed before it arrived`() {
        var screen = loaded()
        screen.press(.character("U"))
        #expect(screen.call(TimeCall.proposal) == ["redo": true, "dryRun": true])
        screen.answer(TimeCall.proposal, undo(9))
        screen.change([Change(path: "todos.items", kind: .insert, id: 3, at: 0, new: .todo(3, "Cat"))])
        #expect(screen.call(TimeCall.proposal) == ["steps": [9], "dryRun": true])
        screen.press(.enter)
        #expect(screen.call(TimeCall.makeProposal) == nil && screen.text.contains("ASKED AGAIN"))
        screen.answer(TimeCall.proposal, undo(9))
        screen.press(.enter)
        #expect(screen.call(TimeCall.makeProposal)?["steps"] == [9])
    }

    @Test func `unrelated changes of others do not keep a shown preview from being confirmed`() {
        var screen = loaded()
        screen.press(.character("u"))
        screen.answer(TimeCall.proposal, undo(9, outcome: "00000000000000aa"))
        screen.change([Change(path: "todos.items", kind: .insert, id: 3, at: 0, new: .todo(3, "Cat"))])
        screen.press(.enter)
        #expect(screen.call(TimeCall.makeProposal)?["expectedOutcome"] == "00000000000000aa")
        // The answer of the second preview is no longer needed.
        screen.answer(TimeCall.proposal, undo(9, outcome: "00000000000000bb"))
        screen.answer(TimeCall.makeProposal, undo(9))
        #expect(screen.typed.contains("Undone") && screen.model.time.proposal == nil)
    }

    @Test func `a preview with another outcome is shown again with a note and must be confirmed again`() {
        var screen = loaded()
        screen.press(.character("u"))
        screen.answer(TimeCall.proposal, undo(9, outcome: "00000000000000aa"))
        #expect(!screen.text.contains("It has changed"))
        screen.press(.enter)
        let key = screen.call(TimeCall.makeProposal)?["key"]
        screen.requests = []
        let stale = CallError("org.todod.Store.StaleSequence", [.init("message", "m"), .init("sequence", 12)])
        screen.tell(.reply(RequestTag(.time, TimeCall.makeProposal), ScreenReply(result: .failure(Failure(stale, socket: "s")))))
        #expect(screen.call(TimeCall.proposal) == ["steps": [9], "dryRun": true])
        #expect(screen.text.contains("It has changed since"), "\(screen.text)")
        screen.press(.enter)
        #expect(screen.call(TimeCall.makeProposal) == nil)
        screen.answer(TimeCall.proposal, undo(9, outcome: "00000000000000bb"))
        #expect(screen.text.contains("It has changed since"))
        screen.press(.enter)
        let again = screen.call(TimeCall.makeProposal)
        #expect(again?["expectedOutcome"] == "00000000000000bb" && again?["key"] != key)
    }

    @Test func `nothing is dispatched to another log than the one that was shown`() {
        var screen = loaded()
        screen.goBack()
        screen.press(.escape, .character("v"), .character("e"))
        screen.tell(.away(Failure(.unreachable, "Gone.")))
        screen.press(.escape, .character("x"))
        screen.requests = []
        screen.tell(.connected)
        #expect(screen.dispatched?["epoch"] == 1)
        screen.epoch = 2
        screen.press(.character("e"))
        screen.load([.todo(1, "Another")])
        #expect(screen.model.form == nil && screen.model.list.marked.isEmpty && screen.text.contains("another log"))
        screen.refuseDispatch(CallError("org.todod.Store.EpochChanged", [.init("message", "m"), .init("epoch", 2)]))
        #expect(screen.typed.contains("nothing was done"), "\(screen.typed)")
        screen.press(.character("x"))
        #expect(screen.dispatched?["epoch"] == 2)
    }

    @Test func `a confirmed undo is not repeated in another log`() {
        for (epoch, isMade) in [(Int64(1), true), (2, false)] {
            var screen = loaded()
            screen.press(.character("u"))
            screen.answer(TimeCall.proposal, undo(9))
            screen.press(.enter)
            screen.tell(.away(Failure(.unreachable, "Gone.")))
            screen.requests = []
            screen.tell(.connected)
            #expect(screen.call(TimeCall.makeProposal) == nil)
            screen.epoch = epoch
            screen.load([milk])
            #expect((screen.call(TimeCall.makeProposal) != nil) == isMade)
        }
    }

    @Test func `a note that another client changed is not overwritten, and the edited text is kept`() {
        var screen = loaded()
        screen.press(.character("N"))
        guard case .edit(let tag, "two bottles")? = screen.requests.last else {
            Issue.record("\(screen.requests)")
            return
        }
        screen.tell(.edited(tag, "three bottles\n"))
        #expect(screen.dispatched?["scope"] == "todos.items" && screen.dispatched?["expectedSequence"] == 11)
        // The list has changed, but not the note, so the edit uses the latest sequence.
        screen.refuseDispatch(CallError("org.todod.Store.StaleSequence", [.init("message", "m"), .init("sequence", 12)]))
        screen.requests = []
        screen.change([Change(path: "todos.items", kind: .insert, id: 3, at: 0, new: .todo(3, "Cat"))])
        #expect(screen.dispatched?["expectedSequence"] == 12)
        screen.refuseDispatch(CallError("org.todod.Store.StaleSequence", [.init("message", "m"), .init("sequence", 13)]))
        screen.requests = []
        let other = Value.todo(1, "Milk", [.init("note", "none")])
        screen.change([Change(path: "todos.items", kind: .replace, id: 1, at: 1, old: milk, new: other)])
        #expect(screen.dispatched == nil)
        #expect(screen.requests.contains(.keep("three bottles", why: "Another client changed the note of 1.")))
    }

    @Test func `a clock that goes back stops nothing`() {
        var screen = loaded()
        screen.tell(.clock(SimulatedScreen.saturday + 86_400_000_000))
        screen.press(.character("/"))
        screen.type("due<sunday")
        screen.tell(.clock(SimulatedScreen.saturday))
        screen.requests = []
        screen.tell(.clock(SimulatedScreen.saturday + 1_000_000))
        #expect(screen.methods.contains(GetStateMethod.name))
    }

    @Test func `words that are not a moment stay in the line with an error`() {
        var screen = loaded()
        screen.answer(TimeCall.bookmarks, ["bookmarks": []])
        screen.press(.character("g"))
        screen.type("nonsense")
        screen.press(.enter)
        #expect(screen.model.prompt?.entry.text == "nonsense" && screen.text.contains("called “nonsense”"))
        screen.press(.escape, .character("m"))
        screen.type("my mark")
        screen.press(.enter)
        let refused = CallError("org.todod.Store.BadBookmark", [.init("message", "It has a space.")])
        screen.tell(.reply(RequestTag(.time, TimeCall.setBookmark), ScreenReply(result: .failure(Failure(refused, socket: "s")))))
        #expect(screen.model.prompt?.entry.text == "my mark" && screen.text.contains("It has a space."))
    }

    @Test func `an invalid filter shows an error instead of an empty list`() {
        var screen = loaded()
        screen.press(.character("/"))
        screen.type("due<nonsense")
        screen.tell(.clock(SimulatedScreen.saturday + 1_000_000))
        #expect(screen.model.question?.mistake != nil && !screen.text.contains("No todo matches"))
    }

    @Test func `the heading names the moment that is shown, not the requested one`() {
        var screen = loaded()
        screen.press(.character(","))
        screen.tell(.away(Failure(.unreachable, "Gone.")))
        #expect(screen.model.time.wanted == 10 && screen.lines[0].contains("PAST @11"), "\(screen.lines[0])")
    }

    @Test func `the help lists all keys of all tabs`() {
        let told = loaded().model.helpLines.map { $0.map(\.text).joined() }
        #expect(["COUNTER", "ALERTS", "POSTS", "COMMANDS", "TIME"].allSatisfy(told.contains))
        #expect(told.allSatisfy { Width.columns($0) <= 78 } && told.contains { $0.contains("fetch the next page") })
    }

    @Test func `a redacted text is removed together with the cached past`() {
        var screen = loaded()
        screen.goBack()
        screen.requests = []
        let sequence = screen.model.todosAt
        let gone = Change(path: "todos.items", kind: .replace, id: 2, at: 1, old: .todo(2, "Dog"), new: .todo(2, "⟨redacted⟩"))
        screen.redact([gone])
        #expect(screen.model.todosAt == sequence && !screen.text.contains("Dog"))
        #expect(screen.call(TimeCall.record) != nil)
    }

    @Test func `from a moment that was compacted away the screen goes to the first one that is left`() throws {
        var screen = loaded()
        screen.goBack()
        screen.press(.character(","))
        let round = try #require(screen.model.time.rounds.last)
        let pruned = CallError(
            "org.todod.Store.PrunedSequence", [.init("message", "m"), .init("first", 10), .init("last", 11)])
        let tag = RequestTag(.time, round.base + TimeCall.record)
        screen.tell(.reply(tag, ScreenReply(result: .failure(Failure(pruned, socket: "s")))))
        #expect(screen.model.time.wanted == 10)
    }

    private let locked = CallError("org.todod.Store.Locked", [.init("message", "It is locked.")])

    @Test func `a refused todo stays in the line with the error, or returns once newer input is sent`() {
        var screen = loaded()
        screen.press(.character("a"))
        screen.type("Feed the cat")
        screen.press(.enter)
        screen.refuseDispatch(locked)
        #expect(screen.typed.contains("add> Feed the cat") && screen.text.contains("It is locked."), "\(screen.text)")
        screen.press(.enter)
        screen.type("Walk")
        screen.refuseDispatch(locked)
        #expect(screen.typed.contains("add> Walk"))
        screen.press(.escape)
        #expect(screen.typed.contains("add> Feed the cat"))
        screen.press(.escape)
        #expect(screen.model.prompt == nil && screen.model.refused.isEmpty)
    }

    @Test(arguments: [("D", "friday"), ("P", "1"), ("#", "work"), ("n", "soon")] as [(Character, String)])
    func `a field that the daemon refuses stays in the line`(key: Character, text: String) {
        var screen = loaded()
        screen.press(.character("v"), .character("v"), .character(key), .control("u"))
        screen.type(text)
        screen.press(.enter)
        screen.refuseDispatch(locked)
        #expect(screen.model.prompt?.entry.text == text && screen.text.contains("It is locked."), "\(screen.text)")
    }

    @Test func `a form that the daemon refuses stays open, but not in another log`() {
        for epoch: Int64 in [1, 2] {
            var screen = loaded()
            screen.press(.home, .character("e"), .control("u"))
            screen.type("Oat milk")
            screen.press(.enter)
            #expect(screen.model.form == nil)
            screen.epoch = epoch
            screen.load([milk])
            screen.refuseDispatch(
                epoch == 1 ? locked : CallError("org.todod.Store.EpochChanged", [.init("message", "m"), .init("epoch", 2)]))
            #expect((screen.model.form?.entries.first?.text == "Oat milk") == (epoch == 1), "\(screen.text)")
        }
    }

    @Test func `a form whose todo was removed stays open`() {
        var screen = loaded()
        screen.press(.home, .character("e"))
        let id = screen.model.form?.id ?? 0
        screen.type("!")
        screen.change([Change(path: "todos.items", kind: .remove, id: id, at: 0, old: milk)])
        screen.press(.enter)
        #expect(screen.model.form?.entries.first?.text.hasSuffix("!") == true && screen.text.contains("no longer exists"))
    }

    @Test(arguments: [
        ["to do"], ["a, b", "c"], ["#x", "-y", "+z"], ["\"", "say \"hi\" now", "\"quoted\""], ["work.tax", "a-b"], ["日 本"],
    ])
    func `tags survive editing`(tags: [String]) {
        var screen = SimulatedScreen()
        screen.load([.todo(1, "Milk", [.init("tags", .list(tags.map(Value.text)))])])
        screen.press(.character("e"), .down, .down, .down)
        screen.type(" urgent")
        screen.press(.enter)
        let edited = screen.dispatches.last?.actions.first?["todos"]?["edit"]?["tags"]
        #expect(edited == .list((tags + ["urgent"]).map(Value.text)), "\(screen.text)")
        screen.press(.character("#"))
        screen.type("+\"to do\" -\"old one\", x")
        #expect(TagEdit(screen.model.prompt?.entry.text ?? "").added == ["to do", "x"])
        #expect(TagEdit(screen.model.prompt?.entry.text ?? "").removed == ["old one"])
    }

    @Test(arguments: ["one\ntwo ↵ three", "↵", "\n\n end ", "a\r\nb", String(repeating: "long ", count: 4_000)])
    func `a note survives editing, whatever it contains`(note: String) {
        var screen = SimulatedScreen()
        screen.load([.todo(1, "Milk", [.init("note", .text(note))])])
        screen.press(.character("e"))
        screen.type("!")
        screen.press(.enter)
        #expect(screen.dispatches.last?.actions.first?["todos"]?["edit"]?["note"] == nil)
        screen.press(.character("e"), .up)
        #expect(screen.model.form?.focus == .note && screen.text.contains("↵") == (note.count < 100))
        screen.press(.control("o"))
        screen.type("↵")
        guard note.count < TextEntry.charactersMax else { return }
        screen.press(.enter)
        let edited = screen.dispatches.last?.actions.first?["todos"]?["edit"]?["note"]?.text
        #expect(edited?.utf8.elementsEqual((note + "\n↵").utf8) == true, "\(edited ?? "")")
    }
}
