import Chronicle
import Dates
import TestSupport
import Testing
import TodoFormats

@testable import todoctl

/// Repeated imports: which values a file removes and which ones are kept.
extension ImportPlanTests {
    @Test func `a value that the user changed is kept when the file drops it, even after importing an own export`() throws {
        func task(_ more: String) -> String { #"[{"uuid":"a","description":"Pay","status":"pending"\#(more)}]"# }
        var list = try imported(task(#","due":"20270301T080000Z","priority":"H","tags":["next"]"#), .taskwarrior)
        (list[0].due, list[0].created) = (Due(text: "2027-03-05"), 5)
        let dropped = try plan(task(""), .taskwarrior, into: list)
        #expect(dropped.changed.map(\.draft.due) == [nil] && dropped.changed.first?.draft.priority == 0)
        list = try imported(task(""), .taskwarrior)
        (list[0].due, list[0].note, list[0].tags, list[0].created) = (Due(text: "2027-03-05"), "by hand", ["mine"], 5)
        let export = TodoFormat.taskwarrior.write(list.map(TodoNames(list, .taskwarrior).foreign), at: Self.place)
        let own = try plan(export, .taskwarrior, into: list)
        if let origin = own.changed.first?.draft.origin { list[0].origin = origin }
        #expect(own.changed.allSatisfy { $0.draft.due == nil && $0.draft.note == nil })
        let again = try plan(task(""), .taskwarrior, into: list).changed.map(\.draft)
        #expect(again.allSatisfy { $0.note == nil && $0.due == nil && $0.tags == nil })
    }

    @Test func `a file with only titles never removes a user's fields, even if an export was imported in between`() throws {
        for (format, text) in Self.silent {
            var list = try imported(text, format)
            list[0].created = 5
            (list[0].due, list[0].note, list[0].tags) = (Due(text: "2027-03-05"), "by hand", ["mine"])
            let export = format.write(list.map(TodoNames(list, format).foreign), at: Self.place)
            for file in [export, text, export, text] {
                let changed = try plan(file, format, into: list).changed
                #expect(changed.allSatisfy { $0.draft.due == nil && $0.draft.note == nil && $0.draft.tags == nil }, "\(format)")
                if let origin = changed.first?.draft.origin { list[0].origin = origin }
            }
        }
    }

    @Test func `a series without a rule still matches its file, and a value that the user set first is kept`() throws {
        func todo(_ more: String) -> String {
            "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:a\nSUMMARY:Water\nSTATUS:NEEDS-ACTION\n\(more)END:VTODO\nEND:VCALENDAR\n"
        }
        let due = "DUE;VALUE=DATE:20270131\n"
        var done = try #require(try imported(todo(due + "RRULE:FREQ=WEEKLY\n"), .ics).first)
        (done.completed, done.every) = (1_795_000_000_000_000, "")
        var next = Todo(id: 2, title: "Water")
        (next.due, next.series) = (Due(text: "2027-02-07"), 1)
        let changed = try plan(todo(due + "CATEGORIES:can\n"), .ics, into: [next, done]).changed
        #expect(changed.map(\.todo.id) == [2] && changed.first?.isDone == nil && changed.first?.draft.tags == ["can"])
        // A value that the file repeats later still belongs to the user.
        var list = try imported(todo(due), .ics)
        list[0].due = Due(text: "2027-06-06")
        let same = try plan(todo("DUE;VALUE=DATE:20270606\n"), .ics, into: list)
        list[0].origin = try #require(same.changed.first?.draft.origin)
        #expect(try plan(todo(""), .ics, into: list).changed.allSatisfy { $0.draft.due == nil })
    }

    @Test func `attributes of a file that can't be exported beside a user's fields are not a difference`() throws {
        let texts: [(TodoFormat, String)] = [
            (.ics, "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:a\nSUMMARY:Pay\nPERCENT-COMPLETE:50\nEND:VTODO\nEND:VCALENDAR\n"),
            (.taskwarrior, #"[{"uuid":"a","description":"Pay","recur":"weekly","project":" Home Work "}]"#),
        ]
        for (format, text) in texts {
            var list = try imported(text, format)
            (list[0].due, list[0].completed) = (Due(text: "2027-06-01"), format == .ics ? 7 : nil)
            #expect(try plan(text, format, into: list).isEmpty, "\(format)")
        }
    }

    @Test func `dropped dependencies of a file are removed unless the user changed them, even if one was unresolved`() throws {
        let text = #"[{"uuid":"a","description":"One","depends":["b","gone"]},{"uuid":"b","description":"Two"}]"#
        var list = try imported(text, .taskwarrior)
        list[0].after = [2]
        #expect(try plan(text, .taskwarrior, into: list).isEmpty)
        let dropped = #"[{"uuid":"a","description":"One"},{"uuid":"b","description":"Two"}]"#
        #expect(try plan(dropped, .taskwarrior, into: list).changed.map(\.after) == [[]])
        list.append(Todo(id: 3, title: "Three"))
        list[0].after = [2, 3]
        #expect(try plan(dropped, .taskwarrior, into: list).changed.allSatisfy { $0.after == nil })
    }

    @Test func `values that a file added to an existing todo are removed when the file drops them`() throws {
        var list = [Todo(id: 1, title: "Buy the milk")]
        let brought = try #require(try plan("Buy the milk @shop due:2027-01-05\n", .todotxt, into: list).changed.first)
        #expect(brought.draft.tags == ["shop"] && brought.draft.origin?.value["said"] == ["title", "due:2027-01-05", "tag:shop"])
        (list[0].origin, list[0].tags, list[0].due) = (brought.draft.origin, ["mine", "shop"], Due(text: "2027-01-05"))
        let gone = try #require(try plan("Buy the milk\n", .todotxt, into: list).changed.first)
        #expect(gone.draft.tags == ["mine"] && gone.draft.due == .some(nil))
    }

    @Test func `tags of a file are added up to the limit of a todo`() throws {
        let tags = (1...40).map { "t\($0)" }
        var list = try imported("Pay @a\n", .todotxt)
        list[0].tags = ["a"] + (1...40).map { "own\($0)" }
        let text = "Pay @a " + tags.map { "@" + $0 }.joined(separator: " ") + "\n"
        let change = try #require(try plan(text, .todotxt, into: list).changed.first)
        #expect(change.draft.tags?.count == 64)
        (list[0].tags, list[0].origin) = (change.draft.tags ?? [], change.draft.origin)
        #expect(try plan(text, .todotxt, into: list).isEmpty)
    }

    @Test func `tags of a user and of a file are merged, and the file removes only its own`() throws {
        func task(_ more: String) -> String { #"[{"uuid":"a","description":"Pay"\#(more)}]"# }
        let text = task(#","project":"Home","tags":["next","a b"]"#)
        var list = try imported(text, .taskwarrior)
        #expect(list[0].origin?.value["said"] == ["title", "tag:project:Home", "tag:next", "tag:a b"])
        list[0].tags = ["mine", "next", "a b", "project:Home"]
        #expect(try plan(text, .taskwarrior, into: list).isEmpty)
        let less = try plan(task(#","project":"Work","tags":["a b"]"#), .taskwarrior, into: list)
        #expect(less.changed.map(\.draft.tags) == [["mine", "a b", "project:Work"]])
        let none = try plan(task(#","project":"""#), .taskwarrior, into: list)
        #expect(none.changed.map(\.draft.tags) == [["mine"]])
        list[0].tags = ["next", "a b", "project:Home"]
        list[0].origin?.said = []
        #expect(try plan(task(#","project":"Home""#), .taskwarrior, into: list).changed.allSatisfy { $0.draft.tags == nil })
    }

    @Test func `values that a file set on a recurring todo are removed by it even after a completion here`() throws {
        var done = try #require(try imported(calendar("20270131"), .ics).first)
        (done.completed, done.every) = (1_795_000_000_000_000, "")
        var next = Todo(id: 2, title: "Water")
        (next.due, next.every, next.series) = (Due(text: "2027-02-28"), "every month on the 31st", 1)
        let said = calendar("20270131", "CATEGORIES:can\nPRIORITY:1\nX-C:d\n")
        let change = try #require(try plan(said, .ics, into: [next, done]).changed.first)
        #expect(change.todo.id == 2 && change.draft == TodoDraft(tags: ["can"], priority: 3) && change.origin?.id == 1)
        #expect(change.actions.count == 2)
        (done.origin, next.tags, next.priority) = (change.origin?.1, ["mine", "can"], 3)
        #expect(try plan(said, .ics, into: [next, done]).isEmpty)
        let less = try #require(try plan(calendar("20270131"), .ics, into: [next, done]).changed.first)
        #expect(less.draft == TodoDraft(tags: ["mine"], priority: 0) && less.origin?.id == 1)
    }
}
