import ArgumentParser
import Chronicle
import Terminal
import Testing

@testable import todoctl

@Suite struct WatchTests {
    @Test(
        arguments: [
            (["+work", "due:today"], true), (["@work"], true), (["bank", "+work"], true), (["-home"], true), (["11-13"], true),
            (["text:milk"], true), (["not", "+home"], true), ([], false), (["todos.items"], false), (["counter"], false),
            (["star", "swift"], false), (["star", "\u{E9}"], false), (["milk"], true), (["posts"], false),
            (["todos", "--from", "yesterday"], false),
        ] as [([String], Bool)])
    func `words are a filter if they can't be a scope`(words: [String], isFilter: Bool) throws {
        let watch = try #require(try Todoctl.parseAsRoot(FilterOption.spelled(["watch"] + words)) as? Watch)
        #expect(watch.isFilter == isFilter)
        #expect(watch.scope == (isFilter ? nil : words.first) && (!isFilter || watch.id == nil))
    }

    @Test(arguments: [["todos", "swift"], ["star", "a", "b"], ["+work", "--from", "1"], ["+work", "--until", "true"]])
    func `an id is only for star buttons, and a filter has no past`(words: [String]) throws {
        let error = #expect(throws: (any Error).self) { try Todoctl.parseAsRoot(["watch"] + words) }
        #expect(Todoctl.exitCode(for: try #require(error)).rawValue == 64)
    }

    @Test func `an unknown word that resembles a feature is refused with both suggestions`() throws {
        let error = #expect(throws: (any Error).self) { try Todoctl.parseAsRoot(["watch", "todso"]) }
        let message = Todoctl.message(for: try #require(error))
        #expect(
            message
                == "There is no feature todso; did you mean todos? To watch the todos with this word: todoctl watch text:todso")
    }

    @Test func `todos that enter, leave or change are reported, but not moves of others`() {
        let todo = { (id: Int64, title: String) -> Value in ["id": .int(id), "title": .text(title)] }
        let old = [todo(1, "one"), todo(2, "two"), todo(3, "three")]
        #expect(TodoWatcher.changes(from: old, to: old.reversed()).isEmpty)
        let changes = TodoWatcher.changes(from: old, to: [todo(4, "four"), todo(3, "THREE"), todo(1, "one")])
        #expect(
            changes == [
                Change(path: "todos.items", kind: .remove, id: 2, at: 1, old: todo(2, "two")),
                Change(path: "todos.items", kind: .insert, id: 4, at: 0, new: todo(4, "four")),
                Change(path: "todos.items", kind: .replace, id: 3, at: 1, old: todo(3, "three"), new: todo(3, "THREE")),
            ])
        #expect(TodoWatcher.changes(from: [], to: old).map(\.kind) == [.insert, .insert, .insert])
    }

    @Test func `a screen shows the lines that fit and the number of the others`() {
        let lines = (1...5).map { "line \($0)" }
        let shown = { (room: Int) in LiveScreen.fitting(lines.map { [PaintedText($0)] }, room).map { $0.map(\.text).joined() } }
        #expect(shown(5) == lines && shown(9) == lines)
        #expect(shown(3) == ["line 1", "line 2", "… and 3 more"])
        #expect(shown(1) == ["line 1"] && shown(0) == [])
    }

    @Test func `q, Esc and the bytes of a closed terminal end the list, arrows and other keys do not`() {
        let isEnded = { (typed: String) in !LiveScreen.ends.isDisjoint(with: ScreenKey.typed(typed)) }
        for typed in ["q", "xQ", "\u{1B}", "\u{4}"] { #expect(isEnded(typed), "\(typed.debugDescription)") }
        for typed in ["", "x\n", "\u{1B}[A", "\u{1B}[1;5C"] { #expect(!isEnded(typed), "\(typed.debugDescription)") }
    }

    @Test func `the heading begins with the notice that the daemon is away`() {
        #expect(TodoWatcher.heading("2 of 3 todos", isAway: false) == "2 of 3 todos")
        #expect(TodoWatcher.heading("2 of 3 todos", isAway: true) == "The daemon is away; q to quit. Last known: 2 of 3 todos")
    }
}
