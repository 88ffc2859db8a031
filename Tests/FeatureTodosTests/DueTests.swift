import Chronicle
import FeatureTodos
import Testing

@Suite struct DueTests {
    @Test(arguments: [
        "2026-12-01", "2026-12-01T14:30", "0001-01-01", "9999-12-31T23:59", "2024-02-29", "2000-02-29", "2026-01-31T00:00",
    ])
    func `a day, or a day and a minute, is parsed and formatted`(text: String) throws {
        let due = try #require(Due(text))
        #expect(due.text == text)
        #expect(Due(bits: due.bits) == due)
    }

    @Test(arguments: [
        "", "2026", "2026-12", "2026-13-01", "2026-00-10", "2026-04-31", "2026-02-29", "1900-02-29", "2026-01-00", "2026-01-32",
        "0000-01-01",
        "2026-12-01 14:30", "2026-12-01T24:00", "2026-12-01T14:60", "2026-12-01T14", "2026-12-01T1:300", "2026-12-01T14:30Z",
        "2026/12/01",
        "26-12-01", "+026-12-01", "2026-1２-01", "２０26-1", "2026-12-01T14:30:00", " 2026-12-01",
    ])
    func `an invalid day is refused`(text: String) {
        #expect(Due(text) == nil)
    }

    @Test func `due dates are chronological, a whole day before its minutes`() throws {
        let texts = [
            "2025-12-31T23:59", "2026-01-01", "2026-01-01T00:00", "2026-01-01T00:01", "2026-01-02", "2026-02-01", "2027-01-01",
        ]
        let dues = try texts.map { try #require(Due($0)) }
        #expect(dues.reversed().sorted() == dues)
    }

    @Test func `other numbers are not valid due dates`() throws {
        let due = try #require(Due("2026-12-31T23:59"))
        #expect(Due(bits: 0) == nil)
        #expect(Due(bits: due.bits + 1) == nil)
        #expect(Due(bits: .max) == nil)
        #expect(Due(bits: due.bits | 1 << 40) == nil)
    }
}
