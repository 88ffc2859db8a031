import Testing

@testable import todoctl

@Suite struct VerbNamesTests {
    @Test(arguments: [
        (["lst"], "There is no verb lst; did you mean list or log?\nTo see all: todoctl --help"),
        (["count", "--json"], "There is no verb count; did you mean counter?\nTo see all: todoctl --help"),
        (["serch", "milk"], "There is no verb serch.\nTo see all: todoctl --help"),
        (
            ["commands", "holt", "it"],
            "There is no verb holt of commands; did you mean hold?\nTo see all: todoctl commands --help"
        ),
        (["posts", "--json", "fech"], "There is no verb fech of posts; did you mean fetch?\nTo see all: todoctl posts --help"),
        (
            ["invariant", "ad", "x", "y"],
            "There is no verb ad of invariant; did you mean add?\nTo see all: todoctl invariant --help"
        ),
        (["repos", "xylophone"], "There is no verb xylophone of repos.\nTo see all: todoctl repos --help"),
        (["fork", "lst"], "There is no verb lst of fork; did you mean list?\nIf it is a name: todoctl fork make lst"),
        (
            ["fork", "merg", "try"],
            "There is no verb merg of fork; did you mean merge?\nTo see all: todoctl fork --help"
        ),
        (
            ["star", "pres", "swift"],
            "There is no verb pres of star; did you mean press?\nTo see all: todoctl star --help"
        ),
        (["star", "pres"], "There is no verb pres of star; did you mean press?\nIf it is a name: todoctl star show pres"),
        (
            ["fork", "--socket", "/s", "--at", "9", "lst"],
            "There is no verb lst of fork; did you mean list?\nIf it is a name: todoctl fork make --socket /s --at 9 lst"
        ),
        (
            ["fork", "main", "--at", "last friday"],
            "There is no verb main of fork; did you mean make?\nIf it is a name: todoctl fork make main --at 'last friday'"
        ),
        (
            ["fork", "main", "--at", "it's $HOME"],
            "There is no verb main of fork; did you mean make?\nIf it is a name: todoctl fork make main --at 'it'\\''s $HOME'"
        ),
        (
            ["posts", "--socket=/s", "fech"],
            "There is no verb fech of posts; did you mean fetch?\nTo see all: todoctl posts --help"
        ),
        (
            ["alerts", "--at", "1", "lst"],
            "There is no verb lst of alerts; did you mean list?\nTo see all: todoctl alerts --help"
        ),
        (["fork", "help", "make"], "There is no verb help of fork.\nTo see all: todoctl fork --help"),
        (["help", "lst"], "There is no verb lst; did you mean list or log?\nTo see all: todoctl --help"),
        (["help", "fork", "try"], "There is no verb try of fork.\nTo see all: todoctl fork --help"),
        (["debug", "tial"], "There is no verb tial of debug; did you mean tail?\nTo see all: todoctl debug --help"),
        (
            ["debug", "tial", "--from", "3"],
            "There is no verb tial of debug; did you mean tail?\nIf it is a name: todoctl debug show tial --from 3"
        ),
    ])
    func `an unknown verb is refused with a suggestion, even if it could be a name`(
        arguments: [String], message: String
    ) {
        #expect(throws: Failure(.usage, message)) { try VerbNames.check(arguments) }
    }

    @Test func `a suggested command keeps the options before the verb`() {
        let failure = #expect(throws: Failure.self) {
            try VerbNames.check(["fork", "lst"], after: ["--wait", "5", "--socket=/run/my daemon"])
        }
        #expect(
            failure?.message.hasSuffix("\nIf it is a name: todoctl --wait 5 '--socket=/run/my daemon' fork make lst") == true)
    }

    @Test func `a suggestion may be an alias of the user, but not below a verb`() {
        let aliases = ["today", "milk"]
        #expect(throws: Failure(.usage, "There is no verb tday; did you mean today?\nTo see all: todoctl --help")) {
            try VerbNames.check(["tday"], aliases: aliases)
        }
        #expect(throws: Failure(.usage, "There is no verb mlik; did you mean milk?\nTo see all: todoctl --help")) {
            try VerbNames.check(["help", "mlik"], aliases: aliases)
        }
        #expect(throws: Failure(.usage, "There is no verb mlik of repos.\nTo see all: todoctl repos --help")) {
            try VerbNames.check(["repos", "mlik"], aliases: aliases)
        }
    }

    @Test(arguments: [
        ["fork", "try"], ["fork", "make", "lst"], ["fork", "before", "--at", "-3"], ["star", "swift"], ["debug", "counter"],
        ["posts"],
        ["posts", "--at", "lst"], ["list", "lst"], ["help", "fork"], ["help", "fork", "make"], ["help"], ["--version"],
        ["commands", "--json"], [],
    ])
    func `a verb, or a word that resembles none and may be a name, is accepted`(arguments: [String]) throws {
        try VerbNames.check(arguments)
    }

    @Test func `every verb is accepted`() throws {
        for (words, _) in VerbTests.leaves { try VerbNames.check(words.split(separator: " ").map(String.init)) }
    }
}
