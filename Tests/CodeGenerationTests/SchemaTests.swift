import Foundation
import Testing
import VarlinkInterfaces

@testable import CodeGeneration

@Suite struct SchemaTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let schema: String
        let line: Int
        let message: String

        init(_ schema: String, line: Int = 2, _ message: String) {
            (self.schema, self.line, self.message) = (schema, line, message)
        }

        var testDescription: String { message }
    }

    @Test(arguments: [
        Mistake("feature counter", line: 1, "counter is not the name of a feature: it is written in UpperCamelCase"),
        Mistake("feature My_App", line: 1, "My_App is not the name of a feature: it is written in UpperCamelCase"),
        Mistake("feature A\nstates ()", "expected a number, state, row, record, patch, choice or refusal, not states"),
        Mistake(
            "feature A\nstate (1 a: Int64 2 b: Int64 1 c: Int64)", "another field has the number 1: give it a number of its own"),
        Mistake("feature A\nstate (1 count: Int64 2 count: Int64)", "there is another field count"),
        Mistake("feature A\nstate (64 count: Int64)", "64 is no number from 1 to 63"),
        Mistake("feature A\nstate (0 count: Int64)", "0 is no number from 1 to 63"),
        Mistake("feature A\nstate (1 Count: Int64)", "Count is not the name of the field: it begins with a small letter"),
        Mistake("feature A\nstate (1 default: Int64)", "default is a word of Swift: choose another name"),
        Mistake("feature A\nstate (count: Int64)", "expected the number of a field, not count"),
        Mistake("feature A\nstate (1 count)", "expected the name of the field"),
        Mistake(
            "feature A\nstate (1 count: Int64 = 1)",
            "the initial value of count is that of its type (0, false, empty or none), which the log leaves out: remove the default"
        ),
        Mistake(
            "feature A\nstate (1 name: String undone by difference)", "only an Int64 without a coding is undone by difference"),
        Mistake("feature A\nstate (1 items: Table<B> undone never)", "items is undone row by row: remove the rule"),
        Mistake(
            "feature A\n1 command add(1 amount: Int64 undone never)",
            "amount is no field of a state or a row: remove the rule of its undo"),
        Mistake("feature A\n1 command add(1 amount: Int64? needed)", "amount is needed and may be absent: remove one of both"),
        Mistake("feature A\n1 command add 1 command remove", "another action has the number 1: give it a number of its own"),
        Mistake("feature A\n1 command add 2 event add", "there is another action add"),
        Mistake("feature A\n1 task add 1 task remove", "another task has the number 1: give it a number of its own"),
        Mistake("feature A\n1 order add", "expected command, query, edit, event, task or child, not order"),
        Mistake("feature A\n1 command add changes count", "the state has no field count"),
        Mistake("feature A\n1 command add overwrites count", "the state has no field count"),
        Mistake("feature A\n1 event add creates items", "add has no parameter items"),
        Mistake(
            "feature A\n1 command remove(1 _ name: String) or removeAt",
            "a case that has one by index has one parameter, `1 _ id: UInt64`"),
        Mistake("feature A\nstate (1 a: [[Int64]])", "a list of [Int64] can't be read back: put the element into a record"),
        Mistake(
            "feature A\nstate (1 a: Table<A> 2 b: Table<B>)",
            "a state has one table and one NextID: put another table into a feature of its own"),
        Mistake("feature A\n1 task load changes items", "a task has no clauses: they belong to actions"),
        Mistake("feature A\n1 command add(whole _ a: A, 1 b: Int64)", "whole is the form of the only parameter of an action"),
        Mistake("feature A\n1 command add(inline _ a: Int64)", "inline takes a record of this schema, and Int64 is not one"),
        Mistake(
            "feature A\nrecord B (1 b: Int64)\n1 command add(1 a: Int64, inline _ b: B)", line: 3,
            "the numbers of B must be above those of the other fields, up to 1"),
        Mistake(
            "feature A\nrow B (1 a: String?)\npatch C of B (a)", line: 3,
            "an edit can't set a: it is optional or encoded by another type"),
        Mistake("feature A\nchoice Phase (0 on 1 on)", "there is another value on"),
        Mistake("feature A\n1 event failed fails \"why\n", "expected \""),
        Mistake("feature A\npatch Changes of Row (title)", "there is no row Row above"),
        Mistake("feature A\nrow Row (1 id: UInt64)\npatch Changes of Row (title)", line: 3, "Row has no field title"),
        Mistake("feature A\nchoice Phase (1 on)", "expected 0, not 1: values are numbered from 0"),
        Mistake("feature A\nchoice Phase ()", "a choice has at least one value"),
        Mistake(
            "feature A\n1 child b: B\nstate (1 count: Int64)", line: 3,
            "a feature has either children or a state, types and actions of its own"),
        Mistake("feature A\nrefusal tooLong", "tooLong is not the name of a refusal: it is written in UpperCamelCase"),
        Mistake("feature A\nrefusal Too_Long", "Too_Long is not the name of a refusal: it is written in UpperCamelCase"),
        Mistake("feature A\nrefusal TooLong", "the refusal TooLong has no comment: say above it what it means"),
        Mistake(
            "feature A\n# It is.\nrefusal TooLong\n# It is.\nrefusal TooLong", line: 5, "there is another refusal TooLong"),
        Mistake("feature A\n# It is.\nrefusal Default", line: 3, "default is a word of Swift: choose another name"),
        Mistake("feature A\n1 child b: B\n1 child c: C", line: 3, "another child has the number 1: give it a number of its own"),
        Mistake("feature A\n1 child shape: B", "shape is a name of the generated Swift: choose another name"),
        Mistake("feature A\n1 command _", "_ is not the name of the command: it begins with a small letter"),
        Mistake("feature A\nstate (1 a: Int64)\nstate (1 b: Int64)", line: 3, "there is another state"),
        Mistake("feature A\n1 event failed(1 why: String) fails \"it is \\(reason)\"", "failed has no parameter reason"),
        Mistake(
            "feature A\nstate (1 created: Time)\n1 event count(1 created: Int64)", line: 3,
            "another created is a Time: give one of them another name"),
    ])
    func `a mistake is reported with its line and a message`(mistake: Mistake) {
        var parser = SchemaParser(text: mistake.schema)
        #expect(throws: InterfaceError(line: mistake.line, message: mistake.message)) { try parser.parse() }
    }

    @Test func `fields are encoded by number in any order of declaration`() throws {
        var parser = SchemaParser(text: "feature A\nrecord Pair (2 second: Int64 1 first: Int64)")
        try parser.parse()
        let text = FeatureWriter(schema: parser.schema).text(madeFrom: "A.feature")
        let first = try #require(text.range(of: "visitor.field(1, \"first\""))
        let second = try #require(text.range(of: "visitor.field(2, \"second\""))
        #expect(first.lowerBound < second.lowerBound)
        #expect(text.contains("init(second: Int64 = 0, first: Int64 = 0)"))
    }

    @Test(arguments: [
        ("TitleTooShort", "titleTooShort"), ("IDInUse", "idInUse"), ("IDsExhausted", "idsExhausted"), ("ID", "id"),
        ("BadURL", "badURL"), ("Full", "full"),
    ])
    func `a refusal is thrown by its name, which begins with a small letter`(name: String, swiftName: String) throws {
        var parser = SchemaParser(text: "feature A\n# It is.\n# Remedy: None.\nrefusal \(name)")
        try parser.parse()
        let text = FeatureWriter(schema: parser.schema).text(madeFrom: "A.feature")
        #expect(text.contains("case \(swiftName) = \"\(name)\""))
        #expect(text.contains(#"Refusal(name.rawValue, of: "A", message)"#))
        #expect(text.contains("\"refusal.\(name)\": \"It is.\\nRemedy: None.\","))
    }

    @Test func `a time is a number whose name is listed`() throws {
        var parser = SchemaParser(
            text: "feature A\n# Both.\nstate (1 ends: [Time])\nrecord Stay (1 begin: Time? 2 nights: Int64)")
        try parser.parse()
        let text = FeatureWriter(schema: parser.schema).text(madeFrom: "A.feature")
        #expect(text.contains("var ends: [Int64] = []") && text.contains("var begin: Int64? = nil"))
        #expect(text.contains(#""state.ends": "Both.""#) && text.contains(#"times: [String] = ["begin", "ends"]"#))
    }

    @Test func `a schema needs no comments, and its names may be those of local variables`() throws {
        var parser = SchemaParser(
            text: "feature A\nrow Seat (1 id: UInt64 2 row: Int64)\npatch Move of Seat (row)\n1 command none")
        try parser.parse()
        let text = FeatureWriter(schema: parser.schema).text(madeFrom: "A.feature")
        for line in ["documentation: [String: String] = [:", "if let value = self.row { row.row = value }", "case 1: Self.none"] {
            #expect(text.contains(line))
        }
    }

    @Test func `the name of a child may contain a word of the templates`() throws {
        var parser = SchemaParser(text: "feature A\n1 child myFEATURE: NAMES")
        try parser.parse()
        #expect(FeatureWriter(schema: parser.schema).text(madeFrom: "A.feature").contains("case myFEATURE(NAMES.Action)"))
    }

    @Test func `comments become documentation in Swift and on the wire`() throws {
        let schema = "# Counts.\nfeature A\nstate (\n  # How \"far\".\n  1 count: Int64\n)\n# Adds 1.\n1 command add"
        var parser = SchemaParser(text: schema)
        try parser.parse()
        let text = FeatureWriter(schema: parser.schema).text(madeFrom: "A.feature")
        #expect(text.contains("/// How \"far\".\n        var count"))
        for entry in [#""": "Counts.""#, #""state.count": "How \"far\".""#, #""add": "Adds 1.""#] {
            #expect(text.contains(entry))
        }
    }
}
