import Testing

@testable import todoctl

@Suite struct EmptyArgumentsTests {
    @Test(arguments: [
        (["backup", ""], "Argument 2 is empty."), (["export", ""], "Argument 2 is empty."),
        (["import", "", "--yes"], "Argument 2 is empty."),
        (["bisect", "--exec", ""], "Argument 3, behind --exec, is empty."),
        (["list", "--search", ""], "Argument 3, behind --search, is empty."),
        (["list", "--search="], "The value of --search is empty."),
        (["follow", "mail", "--exec="], "The value of --exec is empty."),
        (["follow", "mail", "--exec", "", "x"], "Argument 4, behind --exec, is empty."),
        (["remove", ""], "Argument 2 is empty."),
        (["edit", "3", "--", ""], "Argument 4, behind --, is empty."),
        ([""], "Argument 1 is empty."),
    ])
    func `an argument without a character is refused`(arguments: [String], sentence: String) {
        let error = #expect(throws: Failure.self) { try EmptyArguments.check(arguments) }
        #expect(error?.code == .usage)
        #expect(error?.message.split(separator: "\n").first.map(String.init) == sentence)
    }

    @Test(arguments: [
        ["draft", ""], ["add", "Buy", ""], ["edit", "3", "--note", ""], ["edit", "3", "--note="],
        ["follow", "mail", "--exec", "mail", "", "--to="], ["list"], [],
    ])
    func `a text may be empty, and so may what another program is told`(arguments: [String]) throws {
        try EmptyArguments.check(arguments)
    }
}
