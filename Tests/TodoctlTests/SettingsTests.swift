import Chronicle
import Dates
import TestSupport
import Testing

@testable import todoctl

@Suite struct SettingsTests {
    @Test func `only the end of a line ends a comment`() {
        #expect(SettingsFile(path: Self.path, text: "# a\u{2028}x = 1\u{c}y = 2\r\nsort = \"due\"\r\n").warnings.isEmpty)
    }

    private static let path = "/home/x/.config/todod/todoctl.toml"

    private func file(_ lines: String...) -> SettingsFile {
        SettingsFile(path: Self.path, text: lines.joined(separator: "\n") + "\n")
    }

    @Test func `an option overrides the environment, which overrides the file, which overrides the default`() throws {
        let directory = TemporaryDirectory()
        let path = try directory.write("sort = \"due\"\nweek = \"sunday\"\n", to: "todoctl.toml")
        let variables = ["TODOCTL_CONFIG": path, "TODOCTL_SORT": "title", "TODOCTL_DATE": ""]
        let settings = Settings { variables[$0] }
        #expect(settings.warnings.isEmpty && settings.file.failure == nil && settings.file.isThere)
        func said(_ key: Settings.Key, option: String? = nil) -> String {
            let (word, origin) = settings.value(key, option: option)
            return "\(word ?? "nothing") by \(origin)"
        }
        #expect(said(.sort, option: "id") == "id by option")
        #expect(said(.sort) == "title by environment")
        #expect(said(.week) == "sunday by file")
        #expect(said(.date) == "day by usual" && said(.view) == "nothing by usual")
        #expect(settings.order(option: .id) == .id && settings.order(option: nil) == .title)
        #expect(settings.order(option: nil, view: .due) == .due && settings.weekBegin == 0)
    }

    @Test func `without a file all settings have their defaults`() {
        let settings = Settings { ["HOME": "/nowhere/at/all"][$0] }
        #expect(settings.file.path == "/nowhere/at/all/.config/todod/todoctl.toml")
        #expect(settings.warnings.isEmpty && settings.file.failure == nil && !settings.file.isThere)
        #expect(settings.dateStyle == .day && settings.weekBegin == 1 && settings.order(option: nil) == .list)
    }

    @Test(
        arguments: [
            (["TODOCTL_CONFIG": "/c.toml", "XDG_CONFIG_HOME": "/x", "HOME": "/h"], "/c.toml"),
            (["XDG_CONFIG_HOME": "/x", "HOME": "/h"], "/x/todod/todoctl.toml"),
            (["XDG_CONFIG_HOME": "x", "HOME": "/h"], "/h/.config/todod/todoctl.toml"),
            (["TODOCTL_CONFIG": "", "HOME": "/h"], "/h/.config/todod/todoctl.toml"), ([:], nil), (["HOME": ""], nil),
        ] as [([String: String], String?)])
    func `the file is at the path from the environment, or in the home directory`(variables: [String: String], path: String?) {
        #expect(SettingsFile.path { variables[$0] } == path)
    }

    @Test func `the file can contain all settings`() {
        let file = file(
            "date = \"iso\"", "view = \"work\"", "[aliases]", "today = \"list due:today\"",
            "milk = \"add 'Buy the milk' --tag shop\"", "[colors]", "overdue = \"magenta\"", "tag = \"plain\"", "[urgency]",
            "overdue = 20", "next = 0.5")
        #expect(file.warnings.isEmpty && file.failure == nil)
        #expect(file.words == [.date: "iso", .view: "work"])
        #expect(file.aliases == ["today": ["list", "due:today"], "milk": ["add", "Buy the milk", "--tag", "shop"]])
        #expect(file.colours == [.overdue: .magenta, .tag: .plain])
        #expect(file.weights == [.overdue: 2_000, .next: 50])
    }

    @Test(arguments: [
        ("date = \"roman\"", "line 3: date is day, iso or us, and not “roman”."),
        ("week = 1", "line 3: week is a text: write week = \"monday\"."),
        ("sorted = \"due\"", "line 3: there is no setting sorted; did you mean sort?"),
        ("aliases = \"x\"", "line 3: aliases is a table: write [aliases] on a line of its own, and what is in it below."),
        ("[aliases]\nlist = \"agenda\"", "line 4: list is a verb and can't be an alias: choose another name."),
        ("[aliases]\nls = \"agenda\"", "line 4: ls is a verb and can't be an alias: choose another name."),
        ("[aliases]\nx = \"lst\"", "line 4: the alias x does not begin with a verb: write x = \"list due:today\"."),
        ("[aliases]\nx = \"list 'a\"", "line 4: in the alias x a quotation mark is not closed."),
        (
            "[colors]\n\ntag = \"pink\"",
            "line 5: the colour of tag is red, green, yellow, blue, magenta, cyan, dim, bold, struck or plain."
        ),
        ("[urgency]\nage = \"old\"", "line 4: the weight age is a number of points, from -1000 to 1000."),
    ])
    func `an invalid setting is ignored, and a message names its line`(text: String, warning: String) {
        let file = file("# mine", "sort = \"due\"", text)
        #expect(file.warnings == [Self.path + ", " + warning])
        #expect(file.failure == nil && file.words == [.sort: "due"])
        #expect(file.aliases.isEmpty && file.colours.isEmpty && file.weights.isEmpty)
    }

    @Test(arguments: ["sort = ", "sort = \"due\"\nsort = \"id\"", "[aliases", "= 3", "sort = \"due"])
    func `a file that is not TOML is refused with its line and a remedy`(text: String) throws {
        let failure = try #require(file(text).failure)
        #expect(failure.code == .configuration && failure.code.rawValue == 78)
        #expect(failure.message.hasPrefix(Self.path + ", line "), "\(failure)")
        #expect(failure.message.hasSuffix("\nTo fix it: todoctl config edit"), "\(failure)")
    }

    @Test func `a file of more than 64 KiB is refused, and one of 64 KiB is read`() throws {
        let directory = TemporaryDirectory()
        func file(_ bytes: Int) throws -> SettingsFile {
            let setting = "sort = \"due\"\n"
            let comment = "#" + String(repeating: "x", count: bytes - setting.utf8.count - 1)
            return SettingsFile(path: try directory.write(setting + comment, to: "\(bytes).toml"))
        }
        let largest = try file(65_536)
        #expect(largest.failure == nil && largest.words == [.sort: "due"])
        let larger = try file(65_537)
        #expect(larger.failure?.message.hasPrefix(larger.path + ": it is larger than 64 KiB.\n") == true && larger.words.isEmpty)
    }

    @Test(arguments: [
        ("x = [1, 2]", "a value is a text in quotes, as in sort = \"due\", a number, or true or false"),
        ("x = { y = 1 }", "a value is a text in quotes"), ("x = 2026-11-29", "a value is a text in quotes"),
        ("x = \"\"\"\na\"\"\"", "a text must be on one line"), ("[[x]]", "lists of tables are not settings"),
        ("x = \"a\\q\"", "\\q means nothing in a text"), ("x y = 1", "a = is missing"), ("x = 1 2", "unexpected “2”"),
        ("[colors]\n[colors]", "[colors] is repeated"), ("[colors]\ntag = \"dim\"\ntag = \"red\"", "colors.tag is set twice"),
        ("ä = 1", "a name is missing"), ("x = nan", "a value is a text in quotes"),
    ])
    func `a setting that is never valid is refused with a message and its line`(text: String, sentence: String) throws {
        let failure = try #require(file("sort = \"due\"", text).failure)
        #expect(failure.message.contains(": " + sentence), "\(failure)")
        let line = 2 + (text.hasPrefix("x = \"\"\"") ? 0 : text.count { $0 == "\n" })
        #expect(failure.message.hasPrefix("\(Self.path), line \(line): "), "\(failure)")
    }

    @Test func `names and texts follow TOML`() {
        let file = file(
            "  'view' = 'C:\\raw'  # a comment", "\"week\"=\"sun\\u0064ay\"", "aliases.today = \"list \\\"#a\\\"\"",
            "[ urgency ]",
            "overdue = +1_0.5e0", "\r")
        #expect(file.failure == nil && file.warnings.isEmpty, "\(file)")
        #expect(file.words == [.view: "C:\\raw", .week: "sunday"])
        #expect(file.aliases == ["today": ["list", "#a"]] && file.weights == [.overdue: 1_050])
    }

    @Test func `dotted keys are accepted`() {
        let file = file(
            "# " + String(repeating: ".", count: 200), "# " + String(repeating: ". ", count: 200), "[aliases]",
            "dots = \"add Wait \(String(repeating: ".", count: 100))\"", "ip = \"list 1.2.3.4 or 1.12.\"")
        #expect(file.failure == nil && file.warnings.isEmpty && file.aliases.count == 2)
    }

    @Test func `ten of very many errors are listed and the rest is counted, and valid settings apply`() {
        let unknown = (0..<5_000).map { "u\($0)=1" }.joined(separator: "\n")
        let file = file(unknown, "week = \"sunday\"", "[urgency]", "age = \"old\"")
        #expect(file.failure == nil && file.words == [.week: "sunday"] && file.warnings.count == 11)
        #expect(file.warnings.last == Self.path + ": it has 4,991 more mistakes.")
        var settings = Settings()
        settings.file = file
        settings.warnings = file.warnings
        #expect(settings.warning?.contains("It is one of 5,001 mistakes in your settings") == true)
    }

    @Test func `an invalid environment variable is ignored and named`() {
        let settings = Settings { ["TODOCTL_WEEK": "friday"][$0] }
        #expect(settings.warnings == ["TODOCTL_WEEK is ignored: week is monday or sunday, and not “friday”."])
        #expect(settings.weekBegin == 1)
    }

    @Test func `one line names the first of several errors and their number`() {
        var settings = Settings()
        #expect(settings.warning == nil)
        settings.warnings = file("sorted = \"due\"").warnings
        #expect(settings.warning == Self.path + ", line 1: there is no setting sorted; did you mean sort?")
        settings.warnings = file("sort = 1", "week = 2", "view = 3").warnings
        let more = " It is one of 3 mistakes in your settings; to see all: todoctl config"
        #expect(settings.warnings.count == 3 && settings.warning == settings.warnings[0] + more)
    }

    @Test func `an alias is expanded once, and further words follow it`() {
        var settings = Settings()
        settings.file.aliases = ["today": ["list", "due:today"], "more": ["today"]]
        #expect(settings.unaliased(["today", "+work"]) == ["list", "due:today", "+work"])
        #expect(settings.unaliased(["more"]) == ["today"])
        #expect(settings.unaliased(["help", "today"]) == ["help", "list"] && settings.unaliased(["help"]) == ["help"])
        #expect(settings.unaliased(["help", "list"]) == ["help", "list"])
        #expect(settings.unaliased(["list", "today"]) == ["list", "today"] && settings.unaliased([]) == [])
    }

    @Test(
        arguments: [
            ("list due:today", ["list", "due:today"]), (#"add 'Buy the milk'  "#, ["add", "Buy the milk"]),
            (#"a "b \"c\" \d" e\ f"#, ["a", #"b "c" \d"#, "e f"]), (#"a '' b"#, ["a", "", "b"]), ("$HOME *", ["$HOME", "*"]),
            (#"a"b"'c'"#, ["abc"]), ("", []), ("a 'b", nil), ("a\\", nil),
        ] as [(String, [String]?)])
    func `a line is split like in a shell`(line: String, words: [String]?) {
        #expect(ShellWords.words(of: line) == words)
    }

    @Test(
        arguments: [
            (["list", "due:today"], "list due:today"), (["add", "Buy the milk"], "add 'Buy the milk'"),
            (["list", "due<friday", ""], "list 'due<friday' ''"), (["add", "the dog's"], #"add 'the dog'\''s'"#),
            (["add", #"a\b"#, "Öl"], #"add 'a\b' Öl"#),
        ] as [([String], String)])
    func `joined words are split into the same words`(words: [String], line: String) {
        #expect(ShellWords.line(words) == line)
        #expect(ShellWords.words(of: line) == words)
    }

    @Test func `an alias is shown with the necessary quotes`() {
        var settings = Settings()
        settings.file = SettingsFile(path: "/s", text: "[aliases]\nhouse = \"list '+a tag' due:today\"\n")
        #expect(
            ConfigVerb.lines(settings).contains { $0.hasSuffix("  list '+a tag' due:today") }, "\(ConfigVerb.lines(settings))")
    }

    @Test func `dates have the configured style`() throws {
        let day = try #require(Day(iso: "2026-12-01"))
        #expect(DateStyle.day.long(day) == "Tuesday 1 December 2026" && DateStyle.day.short(day) == "Tue 1 Dec 2026")
        #expect(DateStyle.iso.long(day) == "2026-12-01" && DateStyle.iso.short(day) == "2026-12-01")
        #expect(DateStyle.us.long(day) == "Tuesday, December 1, 2026" && DateStyle.us.short(day) == "Tue, Dec 1, 2026")
    }

    @Test func `a configured colour replaces the default`() {
        var paint = Paint(isTerminal: true) { $0 == "TERM" ? "xterm" : nil }
        paint.chosen = [.overdue: .cyan, .tag: .plain]
        let line = TodoTable(paint: paint, now: TodoTests.now).lines([TodoTests.todos[0]])[0]
        #expect(line.contains("\u{1B}[36moverdue Fri 20 Nov 2026\u{1B}[0m #shop"), "\(line)")
    }

    @Test func `a configured weight replaces the default`() {
        let todo = TodoTests.todo(7, "todo", due: "2026-11-20")
        let urgency = Urgency(now: TodoTests.now, zone: .berlin, blocking: Blocking(), weights: [.overdue: 100])
        #expect(urgency.points(of: todo, for: .overdue) == 100)
        #expect(urgency.lines(todo).contains { $0.contains("overdue") && $0.contains("1.00 of   1.00") })
    }

    @Test func `the initial file is valid and sets nothing`() {
        let file = SettingsFile(path: Self.path, text: ConfigVerb.beginning)
        #expect(file.warnings.isEmpty && file.failure == nil && file.words.isEmpty && file.aliases.isEmpty)
        let all = ConfigVerb.beginning.split(separator: "\n").filter { $0.contains(" = ") }.map { String($0.dropFirst(2)) }
        // Each commented setting is valid without its comment sign.
        #expect(all.count == Settings.Key.allCases.count + 1 + Paint.Role.allCases.count + Urgency.Part.allCases.count)
        let text = ConfigVerb.beginning.split(separator: "\n").map { $0.contains(" = ") ? $0.dropFirst(2) : $0 }
        let used = SettingsFile(path: Self.path, text: text.joined(separator: "\n"))
        #expect(used.warnings.isEmpty && used.failure == nil && used.words.count == Settings.Key.allCases.count)
    }

    @Test func `each effective setting is listed with its source`() throws {
        var settings = Settings()
        settings.file = file("sort = \"due\"", "[aliases]", "today = \"list due:today\"")
        settings.environment = [.date: "iso"]
        #expect(
            ConfigVerb.lines(settings) == [
                "date           iso  (TODOCTL_DATE)", "week           monday", "sort           due  (file)",
                "view           none", "aliases.today  list due:today", "", "File: " + Self.path,
            ])
        let value = ConfigVerb.value(settings)
        #expect(value["settings"]?["sort"]?["value"]?.text == "due" && value["settings"]?["sort"]?["from"]?.text == "file")
        #expect(value["settings"]?["view"]?["value"]?.isNull == true)
        #expect(value["settings"]?["aliases"]?["today"]?.text == "list due:today")
        #expect(value["exists"]?.bool == true && value["warnings"]?.list?.isEmpty == true)
    }
}
