import Chronicle
import ChronicleLog
import ChronicleStore
import FeatureApp
import Testing
import TimeTravel

@Suite struct PointTests {
    @Test func `a sequence, a distance, the start and the end are moments`() async throws {
        let sample = try SampleLog.random(1, records: 20)
        let history = sample.history()
        let head = sample.head
        #expect(try await history.resolve(.start) == 0)
        #expect(try await history.resolve(.now) == head)
        #expect(try await history.resolve(.sequence(0)) == 0)
        #expect(try await history.resolve(.sequence(head)) == head)
        #expect(try await history.resolve(.back(0)) == head)
        #expect(try await history.resolve(.back(3)) == head - 3)
        #expect(try await history.resolve(.back(head)) == 0)
        await #expect(throws: StoreError.futureSequence(head: head)) { try await history.resolve(.sequence(head + 1)) }
        await #expect(throws: StoreError.futureSequence(head: head)) { try await history.resolve(.sequence(.max)) }
        await #expect(throws: StoreError.pruned(base: 0)) { try await history.resolve(.back(head + 1)) }
        await #expect(throws: StoreError.pruned(base: 0)) { try await history.resolve(.back(.max)) }
    }

    @Test func `a time means the last record that is not later`() async throws {
        let sample = try SampleLog.random(2, records: 20)
        let history = History(
            sample.log, snapshots: nil, fingerprint: "code", base: PastState<App>(state: App.State()),
            clock: StoreClock(wall: { 50_000_000 }, boot: { 0 }))
        #expect(try await history.resolve(.time(.min)) == 0)
        #expect(try await history.resolve(.time(999)) == 0)
        for header in sample.headers {
            #expect(try await history.resolve(.time(header.time - 1)) == header.sequence - 1)
            #expect(try await history.resolve(.time(header.time)) == header.sequence)
            #expect(try await history.resolve(.time(header.time + 1)) == header.sequence)
        }
        // There are no records between the last one and now. Later times are unknown.
        #expect(try await history.resolve(.time(50_000_000)) == sample.head)
        await #expect(throws: StoreError.futureSequence(head: sample.head)) { try await history.resolve(.time(50_000_001)) }
    }

    @Test func `an empty log has one moment`() async throws {
        let history = SampleLog().history()
        for point in [.start, .now, .sequence(0), .back(0), .time(0)] as [Point] {
            #expect(try await history.resolve(point) == 0)
            #expect(try await history.state(at: point).state == App.State())
        }
        await #expect(throws: StoreError.futureSequence(head: 0)) { try await history.resolve(.sequence(1)) }
    }

    @Test func `a bookmark is a moment, and setting it again moves it`() async throws {
        var sample = try SampleLog.random(3, records: 20)
        try sample.bookmark("before-holidays", at: 11)
        try sample.bookmark("Été", at: 0)
        let history = sample.history()
        #expect(try await history.resolve(.bookmark("before-holidays")) == 11)
        #expect(try await history.state(at: .bookmark("before-holidays")).state == sample.states[11])
        try sample.bookmark("before-holidays", at: 12)
        #expect(try await history.resolve(.bookmark("before-holidays")) == 12)
        #expect(try await history.resolve(.bookmark("Été")) == 0)
        #expect(try await history.bookmarks().map(\.name) == ["before-holidays", "Été"])
        for name in ["Before-holidays", "before", "before-holidays2", "", String(repeating: "x", count: 500)] {
            await #expect(throws: StoreError.unknownBookmark(name)) { try await history.resolve(.bookmark(name)) }
        }
    }

    @Test func `a number of records before a moment is a moment, unless the log begins later`() async throws {
        var sample = try SampleLog.random(4, records: 20)
        try sample.bookmark("here", at: 11)
        let (history, head) = (sample.history(), sample.head)
        #expect(try await history.resolve(.before(.bookmark("here"), 3)) == 8)
        #expect(try await history.resolve(.before(.bookmark("here"), 11)) == 0)
        #expect(try await history.resolve(.before(.before(.now, 2), 1)) == head - 3)
        #expect(try await history.resolve(.before(.sequence(5), 0)) == 5)
        for point in [.before(.bookmark("here"), 12), .before(.start, 1), .before(.now, .max)] as [Point] {
            await #expect(throws: StoreError.pruned(base: 0)) { try await history.resolve(point) }
        }
    }

    @Test(arguments: ["a", "mo", "marches", "before-holidays", "v1.0", "Été", "x_1", "日本"])
    func `a valid name is accepted for a bookmark`(name: String) throws {
        #expect(try BookmarkName(name).text == name)
    }

    @Test(arguments: [
        "", "1234", "-3", "@x", "now", "Start", "TODAY", "thurs", "Tues", "a b", "a/b", "a\n", "_a", "é\u{7}",
        String(repeating: "a", count: 65),
    ])
    func `a name with another meaning, or an invalid one, is refused`(name: String) {
        #expect(throws: StoreError.self) { try BookmarkName(name) }
    }
}
