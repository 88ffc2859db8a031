import ArgumentParser
import Dates
import TestSupport
import Testing

@testable import todoctl

@Suite struct TodoCompletionTests {
    @Test func `completions of a filter depend on the word being typed`() {
        #expect(TodoCompletion.wanted("") == .anything)
        #expect(TodoCompletion.wanted("12") == .ids(digits: "12"))
        #expect(TodoCompletion.wanted("+wo") == .tags(mark: "+", typed: "wo"))
        #expect(TodoCompletion.wanted("-") == .tags(mark: "-", typed: ""))
        #expect(TodoCompletion.wanted("du") == .words(TodoCompletion.beginnings))
        let states = ["is:open", "is:done", "is:overdue", "is:waiting", "is:blocked", "is:recurring"]
        #expect(TodoCompletion.wanted("is:b") == .words(states))
        #expect(
            TodoCompletion.wanted("priority>") == .words(["priority>none", "priority>low", "priority>medium", "priority>high"]))
        #expect(TodoCompletion.wanted("after:1") == .ids(digits: "1") && TodoCompletion.wanted("after:12,") == .ids(digits: ""))
        #expect(TodoCompletion.wanted("3,") == .ids(digits: "") && TodoCompletion.wanted("3,12") == .ids(digits: "12"))
        #expect(TodoCompletion.wanted("11-1") == .ids(digits: "1") && TodoCompletion.wanted("3,a") != .ids(digits: "a"))
        #expect(TodoCompletion.wanted("after:") == .words(["after:any", "after:none"]))
        #expect(TodoCompletion.wanted("title:") == .words([]))
    }

    private func typed(_ words: [String], _ index: Int) -> [String] {
        let typed = TodoCompletion.typed(words, index)
        return [typed.word, typed.split]
    }

    @Test func `a word that bash splits at a colon is completed as one word`() {
        #expect(typed(["todoctl", "list", "due", ":", "to"], 4) == ["due:to", "due:"])
        #expect(typed(["todoctl", "list", "due", ":"], 3) == ["due:", "due:"])
        #expect(typed(["todoctl", "list", "due:to"], 2) == ["due:to", ""])
        #expect(typed(["todoctl", "list", ""], 2) == ["", ""])
        #expect(typed(["todoctl"], 4) == ["", ""])
    }

    @Test func `each shell gets the meaning of a word in a form that it can show`() {
        let several = [
            TodoCompletion.Candidate(word: "3", meaning: "Call: Ada/Eve"),
            TodoCompletion.Candidate(word: "31", meaning: "It's\n"),
        ]
        #expect(TodoCompletion.spelled(several, after: "", for: .zsh) == ["3:Call: Ada/Eve", "31:It's\\n"])
        #expect(TodoCompletion.spelled(several, after: "", for: .fish) == ["3\tCall: Ada/Eve", "31\tIt's\\n"])
        #expect(TodoCompletion.spelled(several, after: "", for: .bash) == ["'3: Call: Ada∕Eve'", "'31: It'\\''s\\n'"])
        #expect(TodoCompletion.spelled([several[0]], after: "", for: .bash) == ["'3'"])
        let day = [TodoCompletion.Candidate(word: "due:today")]
        #expect(TodoCompletion.spelled(day, after: "due:", for: .bash) == ["'today'"])
        #expect(TodoCompletion.spelled(day, after: "", for: .zsh) == ["due\\:today"])
    }

    @Test func `ids are completed from their first digits`() {
        #expect(TodoCompletion.condition("") == "not completed")
        #expect(
            TodoCompletion.condition("7")
                == "id == 7 or id >= 70 and id <= 79 or id >= 700 and id <= 799 or id >= 7000 and id <= 7999")
        #expect(TodoCompletion.condition("0") == nil && TodoCompletion.condition("x") == nil)
        #expect(TodoCompletion.condition("1234567890123") == nil)
    }

    @Test func `ids after a comma exclude those before it`() {
        let todos = [TodoTests.todo(3, "Three"), TodoTests.todo(12, "Twelve", done: true), TodoTests.todo(1, "One")]
        #expect(TodoCompletion.named(todos, after: "3,").map(\.word) == ["3,1", "3,12"])
        #expect(TodoCompletion.named(todos, after: "after:12,1,").map(\.word) == ["after:12,1,3"])
        #expect(TodoCompletion.named(todos, after: "").map(\.word) == ["3", "1", "12"])
    }

    @Test func `completed dates and rules are valid`() throws {
        let reader = DateReader(now: PointParserTests.now, zone: .berlin, direction: .future)
        for word in TodoCompletion.dates where word != "none" { #expect(throws: Never.self, "\(word)") { try reader.due(word) } }
        for word in TodoCompletion.rules where word != "none" {
            #expect(throws: Never.self, "\(word)") { try Recurrence(word) }
        }
        #expect((TodoCompletion.dates + TodoCompletion.rules).allSatisfy { !$0.contains(" ") })
    }

    @Test func `each alias is completed like its verb`() {
        let verbs = CompletedTodoctl.configuration.subcommands
        for (alias, verb) in Todoctl.aliases {
            let completed = verbs.first { $0._commandName == alias }
            #expect(completed != nil && verbs.contains { $0._commandName == verb }, "\(alias)")
            #expect(completed?.configuration.abstract == verbs.first { $0._commandName == verb }?.configuration.abstract)
        }
        #expect(Set(verbs.map { $0._commandName }).count == verbs.count)
    }

    @Test func `each tag of the todos is offered once, after those already typed`() {
        let todos = [TodoTests.todo(1, "One", tags: ["work", "home"]), TodoTests.todo(2, "Two", tags: ["work"])]
        #expect(TodoCompletion.tagged(todos, "+", "").map(\.word) == ["+home", "+work"])
        #expect(TodoCompletion.tagged(todos, "", "shop,w").map(\.word) == ["shop,home", "shop,work"])
    }

    @Test(
        arguments: [
            "hh`/tmp/q2x`", "$(reboot)", "$HOME", "a;b", "a&b", "a|b", "a>b", "it's", "a\"b", "a\nb", "a b", "a\\b",
            "-rf", "--yes", "-", "",
            "!!", "{a,b}", "*", "~", "#a", "a\u{301}`b", ";\u{301}", "a\u{202E}b", "a\u{200B}b", "\u{3164}", "a\u{2028}b", "a=b",
            "%1",
        ])
    func `a name with special characters of the shell is not offered`(name: String) {
        #expect(!NameCompletion.isPlain(name) && NameCompletion.quoted([name]).isEmpty)
        let todos = [TodoTests.todo(1, "One", tags: ["work", name])]
        for mark in ["+", "-", ""] { #expect(TodoCompletion.tagged(todos, mark, "").map(\.word) == [mark + "work"]) }
        #expect(TodoCompletion.tagged(todos, "", "shop,").map(\.word) == ["shop,work"])
        #expect(TodoCompletion.Candidate(named: name, after: "@") == nil)
    }

    @Test(arguments: [
        "work", "work.tax", "project:Home/Garden", "a-b_c", "été", "e\u{301}te\u{301}", "日本", "हिन्दी", "1.2", "@x", "a+b",
    ])
    func `a name in any alphabet is offered`(name: String) {
        #expect(NameCompletion.isPlain(name))
        #expect(TodoCompletion.tagged([TodoTests.todo(1, "One", tags: [name])], "+", "").map(\.word) == ["+" + name])
    }

    @Test func `examples with characters other than JSON signs and plain words are not offered`() {
        let example = #"{"todos":{"add":{"items":[{"title":"text"}]}}}"#
        let others = [#"{"a`b":1}"#, #"{"$(a)":1}"#, #"{"a":"b;c"}"#, #"{"a":"it's"}"#, #"["a"]"#, "{}", "-{}"]
        #expect(NameCompletion.quoted(examples: [example] + others) == NameCompletion.quoted(examples: [example]))
        #expect(NameCompletion.quoted(examples: [example]).count == 1)
    }

    @Test func `special characters of titles are replaced where bash shows the title within a word`() {
        let several = ["`reboot`; $(x) <y>", "a & b | c!"].map { TodoCompletion.Candidate(word: "1", meaning: $0) }
        let spelled = TodoCompletion.spelled(several, after: "", for: .bash)
        #expect(spelled == ["'1: ｀reboot｀； ＄（x） ＜y＞'", "'1: a ＆ b ｜ c！'"])
        #expect(TodoCompletion.spelled(several, after: "", for: .fish)[0] == "1\t`reboot`; $(x) <y>")
    }
}
