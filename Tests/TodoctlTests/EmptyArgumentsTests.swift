import Testing

@testable import todoctl

@Suite struct EmptyArgumentsTests {
    @Test(arguments: [
        (["backup", ""], "Argument 2 is empty."), (["export", ""], "Argument 2 is empty."),
        (["import", "", "--yes"], "Argument 2 is empty."),
        (["bisect", "--exec", ""], "Argument 3, after --exec, is empty."),
        (["list", "--search", ""], "Argument 3, after --search, is empty."),
        (["list", "--search="], "The value of --search is empty."),
        (["fork", "make", "try", "--at="], "The value of --at is empty."),
        (["follow", "mail", "--exec="], "The value of --exec is empty."),
        (["follow", "mail", "--exec", "", "x"], "Argument 4, after --exec, is empty."),
        (["remove", ""], "Argument 2 is empty."),
        (["edit", "3", "--", ""], "Argument 4, after --, is empty."),
        ([""], "Argument 1 is empty."),
        (["add", "--tag=", "Buy", "the", "bread"], "The value of --tag is empty."),
        (["add", "Milk", "--due="], "The value of --due is empty."),
        (["add", "Milk", "--priority", ""], "Argument 4, after --priority, is empty."),
        (["add", "Milk", "-d", ""], "Argument 4, after -d, is empty."),
        (["add", "--note=", "Pay", "the", "rent"], "The value of --note is empty."),
        (["edit", "--note=", "1", "2"], "The value of --note is empty."),
        (["bisect", "--exec", "./judge", "--good", ""], "Argument 5, after --good, is empty."),
    ])
    func `an empty argument is refused`(arguments: [String], sentence: String) {
        let error = #expect(throws: Failure.self) { try EmptyArguments.check(arguments) }
        #expect(error?.code == .usage)
        #expect(error?.message.split(separator: "\n").first.map(String.init) == sentence)
    }

    @Test func `options before the verb are checked as well`() {
        let error = #expect(throws: Failure.self) { try EmptyArguments.check(["list", ""], after: 2) }
        #expect(error?.message.hasPrefix("Argument 4 is empty.\n") == true)
    }

    @Test func `the error for an empty note says how to remove a note`() {
        let error = #expect(throws: Failure.self) { try EmptyArguments.check(["edit", "3", "--note="]) }
        #expect(error?.message.hasSuffix("\nIf an empty one is meant: --note \"\"") == true)
    }

    @Test(arguments: [
        ["draft", ""], ["add", "Buy", ""], ["edit", "3", "--note", ""], ["add", "--json", ""],
        ["add", "-j", ""],
        ["add", "--tag=x", ""], ["add", "--", "--tag", ""], ["add", "--", "--tag="],
        ["edit", "1", "--title=--x="], ["edit", "1", "--", "--x="], ["lock", "--", "--x="],
        ["follow", "mail", "--exec", "mail", "", "--to="], ["follow", "mail", "--exec=sh", "-c", ""], ["list"], [],
        ["lock", "--x="],
    ])
    func `a text may be empty, and so may arguments for another program`(arguments: [String]) throws {
        try EmptyArguments.check(arguments)
    }
}
