import Chronicle
import ChronicleTesting
import DataSources
import Testing
import TodoRules

@Suite struct `A list of titles` {
    func titles(_ text: String) throws(CommandFailure) -> [String] {
        try TitleList.titles(in: Array(text.utf8), from: "todos.txt")
    }

    func sentence(_ text: String) -> String? {
        do throws(CommandFailure) {
            _ = try titles(text)
            return nil
        } catch {
            #expect(error.isPermanent)
            return error.reason
        }
    }

    @Test(arguments: [
        ("", []), ("a\nb\n", ["a", "b"]), ("a\r\n\r\n  b\t\r\n", ["a", "b"]),
        ("[ ] call Ann\n[x] call Bob", ["[ ] call Ann", "[x] call Bob"]),
        ("\u{FEFF}a", ["a"]), ("a\u{7}b\u{1B}[31m", ["a b [31m"]), ("[1]\n", ["[1]"]), ("é\n👩‍💻", ["é", "👩‍💻"]),
        ("[]", []), (" [\n]\n", []), ("[\"a\", {\"title\": \"b\", \"done\": true}, \"\", \" c \"]", ["a", "b", "c"]),
        ("[{\"title\": \"a\", \"title\": \"b\"}]", ["a"]),
    ])
    func `a list of titles has one per line or is an array`(text: String, expected: [String]) throws {
        #expect(try titles(text) == expected)
    }

    @Test(arguments: [
        ("[\"a\"", "the text ends too early (byte 4)"), ("[\"a\"] x", "something follows the value (byte 6)"),
        ("[\"a\", 1]", "element 2 is neither a text nor an object with a title"),
        ("[{\"name\": \"a\"}]", "element 1 is neither a text nor an object with a title"),
        ("[{\"a\": [[[[[[[[[]]]]]]]]]}]", "arrays and objects are nested too deep (byte 13)"),
    ])
    func `an error has its reason and position`(text: String, mistake: String) {
        #expect(sentence(text) == "The todos of todos.txt can't be read: \(mistake).")
    }

    @Test func `a list of titles has limits`() throws {
        let longest = String(repeating: "x", count: TodoLimits.titleBytesMax)
        #expect(try titles("a\n\(longest)\n") == ["a", longest])
        #expect(sentence("a\n\(longest)x\n") == "The todos of todos.txt can't be read: title 2 has more than 4096 bytes.")
        let many = String(repeating: "x\n", count: TitleList.titlesMax)
        #expect(try titles(many).count == TitleList.titlesMax)
        #expect(sentence(many + "x") == "The todos of todos.txt can't be read: there are more than 10000 titles.")
    }

    @Test func `a list of titles is UTF-8`() throws {
        let error = #expect(throws: CommandFailure.self) { try TitleList.titles(in: [0x61, 0xFF], from: "x") }
        #expect(error?.reason == "The todos of x can't be read: the text is not UTF-8.")
    }
}
