import Expressions
import Testing

@Suite struct ParserTests {
    @Test(arguments: [
        ("", 1), ("   ", 4), ("counter.count = 3", 15), ("counter.count == ", 18), ("counter.", 9), ("counter.3", 9),
        ("counter count", 9), ("(counter.count", 15), ("counter.count)", 14), ("1 < 2 < 3", 7), ("a && b", 3), ("a || b", 3),
        ("!a", 1), ("not", 4), ("and", 1), ("a or", 5), ("a == not b", 6), ("any(todos.items)", 5), ("any(x in y)", 11),
        ("all(x in y: )", 13), ("any(and in y: true)", 5), ("any(x in 3: true)", 10), ("count()", 7), ("count(3)", 7),
        ("sum(x)", 5), ("mean(x)", 1), ("'abc", 1), ("\"ab\\", 1), ("'\\x'", 2), ("'\\u41'", 2), ("'\\u{}'", 2),
        ("'\\u{D800}'", 2),
        ("'\\u{110000}'", 2), ("12x == 1", 3), ("9223372036854775808", 1), ("- ", 3), ("1 +", 4), ("1 + * 2", 5), ("2 ** 3", 4),
        ("1 - - ", 7), ("min(x in y: )", 13), ("length()", 8), ("lower(a", 8),
        ("startsWith(a, b)", 15), ("endsWith(a)", 11), ("day()", 5), ("days(1", 7), ("-9223372036854775809", 1), ("a[", 3),
        ("a[1", 4), ("a[]", 3),
        ("a[@]", 4), ("a[@'x']", 4), ("a[b]", 3), ("t\u{E9} == 1", 2), ("'\u{E9}\u{1F389}' x", 6), ("a ~ b", 3), ("a.b.c d", 7),
        ("true.x", 5), ("in", 1), ("3.count", 2), ("a\0b", 2), ("{}", 1), ("any(x in y: true", 17), ("count(x in y: true", 19),
        ("contains()", 10), ("contains(a)", 11), ("contains(a 'x')", 12), ("contains(a, b)", 13), ("contains(a, 3)", 13),
        ("contains(a, 'x'", 16), ("contains(a, 'x' or b)", 17), ("contains(a, )", 13), ("contains(a == 'x', 'y')", 12),
    ]) func `a syntax error has its column`(text: String, column: Int) throws {
        let error = try #require(Sample.error(text))
        #expect(error.column == column, "\(error)")
        #expect(!error.message.isEmpty)
        #expect("\(error)" == "column \(column): \(error.message)")
    }

    @Test func `the limits of length, depth and loops are exact`() throws {
        let most = String(repeating: "(", count: 32) + "1" + String(repeating: ")", count: 32)
        #expect(Sample.error(most) == nil)
        #expect(Sample.error("(" + most + ")")?.column == 33)
        #expect(Sample.error(String(repeating: "not ", count: 32) + "1") == nil)
        #expect(Sample.error(String(repeating: "not ", count: 33) + "1")?.column == 129)
        let longest = "1" + String(repeating: " ", count: 4_095)
        #expect(Sample.error(longest) == nil)
        #expect(Sample.error(longest + " ")?.column == 1)
        let loops = "any(a in x: any(b in x: any(c in x: any(d in x: true))))"
        #expect(Sample.error(loops) == nil)
        #expect(Sample.error("any(e in x: \(loops))")?.message.contains("4 loops") == true)
        let row = Array(repeating: "a", count: 800).joined(separator: " or ")
        #expect(Sample.error(row) == nil)
    }

    @Test(arguments: [
        "todos", "todos.items[12].title", "todos.items[@0]", "todos.items[@-1].tags[@3]", #"stars["apple/swift"].starCount"#,
        #"a["\"\\\n\t\r\u{1}"].b"#, #"a["é"]"#, #"a[""]"#, "a.and.count", "a[-5]",
    ]) func `a path round-trips`(text: String) throws {
        let path = try Path(text)
        #expect(path.description == text)
        #expect(try Path(path.description) == path)
    }

    @Test(arguments: [
        ("", 1), ("[12]", 1), ("a..b", 3), ("a[1", 4), ("a b", 3), ("a == 1", 3), ("\"a\"", 1), ("a.\"b\"", 3),
    ]) func `an invalid path is refused with its column`(text: String, column: Int) {
        #expect(throws: ExpressionError.self) { try Path(text) }
        do { _ = try Path(text) } catch { #expect(error.column == column) }
    }

    @Test func `paths have names, prefixes and equality`() throws {
        let path = try Path("todos.items[12].title")
        #expect(path.names == ["todos", "items"])
        #expect(try Path("todos.items").isPrefix(of: path))
        #expect(path.isPrefix(of: path))
        #expect(try !path.isPrefix(of: Path("todos.items")))
        #expect(try !Path("todos.items[@12]").isPrefix(of: path))
        #expect(try Path("a[\"b\"]") == Path("a.b"))
        #expect(try Path("a[\"é\"]") != Path("a[\"e\u{301}\"]"))
        #expect(try Path("todos").appending(.name("items")).appending(.id(12)).description == "todos.items[12]")
    }
}
