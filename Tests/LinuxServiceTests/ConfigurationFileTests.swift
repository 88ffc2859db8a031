import TestSupport
import Testing

@testable import LinuxService

@Suite struct ConfigurationFileTests {
    func values(_ text: String) -> [String] {
        ConfigurationFile(path: "f", text: text).settings.map { "\($0.line) \($0.name)=\($0.value)" }
    }

    @Test func `comments and blank lines are ignored`() {
        #expect(values("# a\n; b\n\n  \nA=1\n  B = 2  \r\n") == ["5 A=1", "6 B=2"])
    }

    @Test func `quotes are removed`() {
        #expect(values(#"A="x y""#) == ["1 A=x y"])
        #expect(values(#"A='x "y'"#) == [#"1 A=x "y"#])
        #expect(values(#"A="a\"b\\c""#) == [#"1 A=a"b\c"#])
        #expect(values("A=\nB=x=y#z") == ["1 A=", "2 B=x=y#z"])
    }

    @Test(arguments: ["A", "=1", "A=\"x", "A='x' y", "A=x\\", "export"])
    func `a line that can't be parsed is an error`(line: String) {
        let file = ConfigurationFile(path: "f", text: "B=1\n\(line)\nC=2")
        #expect(file.mistakes.map(\.line) == [2])
        #expect(file.settings.map(\.name) == ["B", "C"])
    }

    @Test func `a missing file is treated as absent, and a file that is not text is refused`() throws {
        let directory = TemporaryDirectory()
        #expect(try ConfigurationFile(readingFrom: "\(directory.path)/none") == nil)
        #expect(throws: StartFailure.self) { try ConfigurationFile(readingFrom: directory.path) }
        let file = try directory.write("A=1\n", to: "file")
        #expect(try ConfigurationFile(readingFrom: file)?.settings.count == 1)
        let large = try directory.write(String(repeating: "#\n", count: 1 << 20), to: "large")
        #expect(throws: StartFailure.self) { try ConfigurationFile(readingFrom: large) }
    }
}
