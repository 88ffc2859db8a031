import Dates
import TestSupport
import Testing

@testable import todoctl

@Suite struct QuickCaptureTests {
    /// A Saturday, 10:00.
    private static let reader = DateReader(now: 1_795_251_600, zone: .berlin, direction: .future)

    private func captured(_ words: String) -> QuickCapture {
        QuickCapture(words.split(separator: " ").map(String.init), reader: Self.reader)
    }

    @Test(
        arguments: [
            ("Call the bank friday 14:30 #work !high", "Call the bank", "2026-11-27T14:30", ["work"], 3),
            ("#work +urgent Call the bank", "Call the bank", nil, ["work", "urgent"], nil),
            ("Buy the milk tomorrow", "Buy the milk", "2026-11-22", [], nil),
            ("Meet Anna at 9am", "Meet Anna", "2026-11-22T09:00", [], nil),
            ("Call Bob 9am on 4 dec", "Call Bob", "2026-12-04T09:00", [], nil),
            ("Meet at noon on 4 dec", "Meet", "2026-12-04T12:00", [], nil),
            ("Order 5 on 4 dec", "Order 5", "2026-12-04", [], nil),
            ("Pay the rent by 1 dec", "Pay the rent", "2026-12-01", [], nil),
            ("Pay the rent 1.12.", "Pay the rent", "2026-12-01", [], nil),
            ("Close the books last friday of december", "Close the books", "2026-12-25", [], nil),
            ("Water the plants in 3 days !low", "Water the plants", "2026-11-24", [], 1),
            ("Call mum this friday", "Call mum", "2026-11-27", [], nil),
            ("Call mum the day after tomorrow", "Call mum", "2026-11-23", [], nil),
            ("Send the report friday eod", "Send the report", "2026-11-27", [], nil),
            ("Send it by the end of the day", "Send it", "2026-11-21", [], nil),
            ("Buy a hammer +shop,home #shop", "Buy a hammer", nil, ["shop", "home"], nil),
            ("Do all of this tomorrow", "Do all of this", "2026-11-22", [], nil),
            ("Send the release friday", "Send the release", "2026-11-27", [], nil),
            ("Send the report due friday", "Send the report", "2026-11-27", [], nil),
            ("Watch a film in 3d", "Watch a film", "2026-11-24", [], nil),
            ("Go out tonight #fun #fun", "Go out", "2026-11-21T20:00", ["fun"], nil),
        ] as [(String, String, String?, [String], Int?)])
    func `unambiguous words become fields`(words: String, title: String, due: String?, tags: [String], priority: Int?) {
        let captured = captured(words)
        #expect(captured.title.joined(separator: " ") == title)
        #expect(captured.due?.text == due && captured.tags == tags && captured.priority?.level == priority, "\(captured)")
    }

    @Test(arguments: [
        "Fix bug #12", "Watch the sun", "Plan for next year", "Rent a flat for 2 weeks", "Sleep 2 weeks", "Boil eggs 5 min",
        "Read 1984", "Write about friday", "tomorrow", "friday 14:30", "#work", "#work !high", "Say hello!", "C++ + Java",
        "Buy 3",
        "Report of last friday", "Write the report last friday", "Buy 2w", "Watch a film 3d", "See you then !!!",
        "Write about the end of the day", "Write about the day after tomorrow", "Write about friday 14:30",
        "Rest until friday", "Rest till 1 dec", "Pay the rent before friday", "Call mum after friday 14:30",
        "Believe in tomorrow", "Call mum Apr 31st",
        "Water the plants every day until friday", "Water the plants every monday until 1 dec", "Train daily before 9:00",
        "Have lunch monthly friday", "Practice every day by friday", "Water the plants every day friday",
        "Write about every monday", "Think of each and every day", "Watch a film in 3D", "Release version 1.2.",
        "Read chapter 3.4.", "Call mum 31 feb", "Call mum friday 25:00",
    ])
    func `words that may be part of a title remain in it`(words: String) {
        #expect(captured(words) == QuickCapture(plain: words.split(separator: " ").map(String.init)))
    }

    @Test func `dependencies are named by ids`() {
        let captured = captured("Hang the picture after:12 tomorrow after:13,12")
        #expect(captured.after == [12, 13] && captured.due?.text == "2026-11-22")
        #expect(captured.title == ["Hang", "the", "picture"])
        for words in ["Hang after:lunch", "Hang after:", "after:12"] {
            #expect(self.captured(words) == QuickCapture(plain: words.split(separator: " ").map(String.init)), "\(words)")
        }
    }

    @Test(
        arguments: [
            ("Water the plants every monday", "Water the plants", "every monday", nil),
            ("Call mum every other sunday 18:30 #family", "Call mum", "every 2 weeks on sunday", 1110),
            ("Back up every 3 days at noon", "Back up", "every 3 days", 720),
            ("Close the books every last friday of the month", "Close the books", "every last friday of the month", nil),
            ("Read about every animal every day", "Read about every animal", "every day", nil),
            ("Mow the lawn 10 days after done", "Mow the lawn", "10 days after done", nil),
            ("Mow the lawn every 2 weeks after done +garden", "Mow the lawn", "2 weeks after done", nil),
            ("Change the filter a month after done", "Change the filter", "1 month after done", nil),
            ("Water the plants 3d after done 9:00", "Water the plants", "3 days after done", 540),
            ("Stretch daily", "Stretch", "every day", nil), ("Stand up daily 9:30", "Stand up", "every day", 570),
            ("Clean the kitchen weekly", "Clean the kitchen", "every week", nil),
            ("Pay the rent monthly !high", "Pay the rent", "every month", nil),
            ("Do the taxes yearly", "Do the taxes", "every year", nil),
            ("Read every report daily", "Read every report", "every day", nil),
            ("Close the books every last friday", "Close the books", "every last friday of the month", nil),
            ("Do all of this every monday", "Do all of this", "every monday", nil),
            ("Meet the board every first monday 14:00", "Meet the board", "every first monday of the month", 840),
        ] as [(String, String, String, Int?)])
    func `a recurrence rule at the end of a title is recognized`(words: String, title: String, rule: String, minute: Int?) {
        let captured = captured(words)
        #expect(captured.title.joined(separator: " ") == title)
        #expect(captured.recurrence?.text == rule && captured.minute == minute && captured.due == nil)
    }

    @Test(
        arguments: [
            ("Air the room tomorrow every day", "Air the room", "2026-11-22", "every day"),
            ("Air the room tomorrow every day 9:00", "Air the room", "2026-11-22T09:00", "every day"),
            ("Meet Anna friday 14:30 every 2 weeks +fun", "Meet Anna", "2026-11-27T14:30", "every 2 weeks"),
            ("Pay the rent by 1 dec monthly", "Pay the rent", "2026-12-01", "every month"),
            ("Mow the lawn tomorrow 10 days after done", "Mow the lawn", "2026-11-22", "10 days after done"),
            // A rule has one time, and so has its first date.
            ("Meet tomorrow 8:00 every day 9:00", "Meet tomorrow 8:00", nil, "every day"),
            ("Write about friday every day", "Write about friday", nil, "every day"),
        ] as [(String, String, String?, String)])
    func `the first date of a rule may come before it`(words: String, title: String, due: String?, rule: String) {
        let captured = captured(words)
        #expect(captured.title.joined(separator: " ") == title && captured.due?.text == due, "\(captured)")
        #expect(captured.recurrence?.text == rule)
    }

    @Test(arguments: [
        "Daily", "Read the daily", "Prepare my weekly", "Ask for a raise after done", "Rest after done", "every day",
        "every monday", "Count every sheep", "Every day counts", "Write every two weeks", "Sing every monday 25:00",
    ])
    func `an invalid rule, or a rule without a title, is part of the title`(words: String) {
        #expect(captured(words) == QuickCapture(plain: words.split(separator: " ").map(String.init)))
    }

    @Test(
        arguments: [
            ("Call mum 31 feb", "“31 feb” is no day: it stays in the title."),
            ("Call mum Apr 31st", "“Apr 31st” is no day: it stays in the title."),
            ("Celebrate 29 feb 2027", "“29 feb 2027” is no day: it stays in the title."),
            ("Pay the rent every 31 june", "“31 june” is no day: it stays in the title."),
            ("Call mum friday 25:00", "“25:00” is no time: it stays in the title."),
            ("Call mum at 9:75", "“9:75” is no time: it stays in the title."),
            ("Sing every monday 25:00", "“25:00” is no time: it stays in the title."),
            ("Stretch every 5 minutes", "“every 5 minutes” is no rule: it stays in the title."),
            ("Stretch every 0 days", "“every 0 days” is no rule: it stays in the title."),
            ("Call mum 2026-02-30", "“2026-02-30” is no day: it stays in the title."),
            ("Call mum 31.11.", "“31.11.” is no day: it stays in the title."),
            ("Report 31.11. 14:00", "“31.11. 14:00” is no day: it stays in the title."),
            ("Report 2026-02-30 at 14:00", "“2026-02-30 at 14:00” is no day: it stays in the title."),
            ("Pick up 13pm", "“13pm” is no time: it stays in the title."),
            ("Call mum friday 13pm", "“13pm” is no time: it stays in the title."),
            ("Stretch every hour", "“every hour” is no rule: it stays in the title."),
            ("Install 13.31.", nil), ("Order 2026-ab-30", nil), ("Stretch every day", nil), ("Read Luke 24:61", nil),
            ("Run 10 km in 45:61", nil), ("Think of every 2 days", nil), ("Celebrate 29 feb", nil),
            ("Order a Boeing 77 mar", nil), ("Call mum friday 14:30", nil), ("Water the plants every 2 days", nil),
            ("Count every sheep", nil), ("31 feb", nil), ("Release version 31.2.", nil),
            ("Release 1.13.", nil), ("Drink 1/2", nil), ("Run 3m", nil),
        ] as [(String, String?)])
    func `an invalid day, time or rule remains in the title, with a hint if nothing else can be meant`(
        words: String, doubt: String?
    ) {
        #expect(captured(words).warning(Self.reader) == doubt)
    }

    @Test func `there is no hint about fields that were not parsed`() {
        #expect(QuickCapture(["Call", "mum", "31", "feb"], reader: nil).warning(nil) == nil)
        let stretch = QuickCapture(["Stretch", "every", "0", "days"], reader: Self.reader, takesRecurrence: false)
        #expect(stretch.warning(Self.reader, takesRecurrence: false) == nil)
    }

    @Test func `if an option sets the rule or the date, neither is parsed from the words`() {
        let words = ["Run", "every", "monday"]
        #expect(QuickCapture(words, reader: Self.reader, takesRecurrence: false) == QuickCapture(plain: words))
        #expect(QuickCapture(words, reader: nil).recurrence?.text == "every monday")
        #expect(QuickCapture(words + ["9:00"], reader: nil) == QuickCapture(plain: words + ["9:00"]))
    }

    @Test func `a misspelt priority is refused with a suggestion, and other words remain in the title`() throws {
        let failure = #expect(throws: Failure.self) { try captured("Call mum !hgih").checkPriority() }
        #expect(failure?.code == .usage)
        #expect(
            failure?.message == "There is no priority hgih; did you mean !high?\nTo keep the word in the title: --plain")
        for words in ["Call mum !meduim +home", "!Lwo Call mum tomorrow"] {
            #expect(throws: Failure.self) { try captured(words).checkPriority() }
        }
        for words in ["Say !hello", "See you !!!", "Do it !important", "!hgih", "Call mum !high", "Buy !a", "Call mum hgih"] {
            try captured(words).checkPriority()
        }
    }

    @Test func `words that were quoted together are part of the title`() {
        let words = ["Call the bank tomorrow #work"]
        #expect(QuickCapture(words, reader: Self.reader) == QuickCapture(plain: words))
        #expect(QuickCapture(["Call", "mum", "next friday"], reader: Self.reader).due == nil)
    }

    @Test func `a field that an option sets is not parsed from the words`() {
        let words = ["Call", "the", "bank", "tomorrow", "!high"]
        #expect(QuickCapture(words, reader: nil, takesPriority: false) == QuickCapture(plain: words))
    }
}
