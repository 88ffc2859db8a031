import Chronicle
import Testing
import TodoAPI

@testable import todoctl

@Suite struct AlterationArgumentsTests {
    // A log of 20 records.
    private static var words: AlterationArguments {
        AlterationArguments { word throws(Failure) in
            guard let back = UInt64(word.dropFirst(2)), back < 20 else { throw Failure(.refused, "no such record") }
            return 20 - back
        }
    }
    private static let reset = #"{"counter": {"reset": {}}}"#

    @Test func `arguments become alterations, skips first`() throws {
        let alterations = try Self.words.alterations(
            skip: ["12", "3..7", "4..4", "@-2", "@-5..@-3"], edit: ["5=" + Self.reset], insert: ["0=" + Self.reset])
        #expect(
            alterations == [
                AlterationMessage(skip: 12), AlterationMessage(skip: 3, through: 7), AlterationMessage(skip: 4),
                AlterationMessage(skip: 18), AlterationMessage(skip: 15, through: 17),
                AlterationMessage(edit: 5, action: ["counter": ["reset": [:]]]),
                AlterationMessage(insert: 0, action: ["counter": ["reset": [:]]]),
            ])
    }

    @Test(arguments: [
        "", "x", "-1", "+1", "1.5", "1..", "..2", "..", "1...3", "1..2..3", "9007199254740992", "@", "@-99",
    ])
    func `an invalid range is refused`(word: String) {
        #expect(throws: Failure.self) { _ = try Self.words.alterations(skip: [word], edit: [], insert: []) }
    }

    @Test func `a reversed range is passed to the daemon, which refuses it`() throws {
        let alterations = try Self.words.alterations(skip: ["7..3"], edit: [], insert: [])
        #expect(alterations == [AlterationMessage(skip: 7, through: 3)])
    }

    @Test(arguments: ["", "1", "=", "1=", "1={", "=" + reset, "x=" + reset, "1=7", "1=[]", "1=[\(reset), \(reset)]"])
    func `an alteration without a valid record and action is refused`(word: String) {
        #expect(throws: Failure.self) { _ = try Self.words.alterations(skip: [], edit: [word], insert: []) }
        #expect(throws: Failure.self) { _ = try Self.words.alterations(skip: [], edit: [], insert: [word]) }
    }
}
