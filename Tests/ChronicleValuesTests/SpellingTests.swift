import ChronicleValues
import Testing

@Suite struct SpellingTests {
    @Test func `a misspelled name finds similar ones, the most similar first`() {
        let names = ["StaleSequence", "QueryBusy", "StoreBusy", "Locked", "CounterAtMinimum", "CounterAtMaximum"]
        #expect(Spelling.nearest(to: "StaleSequense", in: names) == ["StaleSequence"])
        #expect(Spelling.nearest(to: "busy", in: names) == ["QueryBusy", "StoreBusy"])
        #expect(Spelling.nearest(to: "Lokced", in: names) == ["Locked"])
        #expect(Spelling.nearest(to: "counter", in: names) == ["CounterAtMaximum", "CounterAtMinimum"])
        #expect(Spelling.nearest(to: "xylophone", in: names).isEmpty && Spelling.nearest(to: "", in: names).isEmpty)
    }

    @Test func `the proposal is a question with similar names, or a list of all names`() {
        #expect(Spelling.proposal(for: "todo", among: ["todos", "counter"]) == "did you mean todos?")
        #expect(Spelling.proposal(for: "ab", among: ["abb", "abc", "abd"]) == "did you mean abb, abc or abd?")
        #expect(Spelling.proposal(for: "xylophone", among: ["todos", "counter"]) == "there are todos, counter.")
    }

    @Test(arguments: [
        ("lst", ["list", "log"]), ("ad", ["add"]), ("dad", ["add"]), ("hlep", ["help"]), ("tial", ["tail"]), ("rm", []),
        ("a", []),
        ("ort", []), ("imp", ["import"]), ("port", ["export", "import"]), ("mvoe", ["move"]),
    ])
    func `a short word matches names with the same first letter or at distance one`(word: String, meant: [String]) {
        let names = ["list", "log", "add", "head", "load", "move", "remove", "tail", "help", "import", "export", "undo"]
        #expect(Spelling.nearest(to: word, in: names) == meant)
    }

    @Test func `a very long word matches nothing`() {
        let marks = String(repeating: "\u{345}", count: 950) + String(repeating: "\u{334}", count: 950)
        #expect(Spelling.question(about: "b" + marks, among: ["bank", "b"]) == nil)
        #expect(Spelling.nearest(to: String(repeating: "a", count: Spelling.wordBytesMax + 1), in: ["a"]).isEmpty)
    }
}
