import Fields
import ActionLogs
import AppFeature
import StoreRuntime
import Testing
import TimeTravel

@Suite struct PointTests {
    @Test func `a sequence, a distance, the start and the end are moments`() async throws {
        let history = try History.random(1, records: 20)
        let timeline = history.timeline()
        let head = history.head
        #expect(try await timeline.resolve(.start) == 0)
        #expect(try await timeline.resolve(.now) == head)
        #expect(try await timeline.resolve(.sequence(0)) == 0)
        #expect(try await timeline.resolve(.sequence(head)) == head)
        #expect(try await timeline.resolve(.back(0)) == head)
        #expect(try await timeline.resolve(.back(3)) == head - 3)
        #expect(try await timeline.resolve(.back(head)) == 0)
        await #expect(throws: TravelError.future(head: head)) { try await timeline.resolve(.sequence(head + 1)) }
        await #expect(throws: TravelError.future(head: head)) { try await timeline.resolve(.sequence(.max)) }
        await #expect(throws: TravelError.pruned(base: 0)) { try await timeline.resolve(.back(head + 1)) }
        await #expect(throws: TravelError.pruned(base: 0)) { try await timeline.resolve(.back(.max)) }
    }

    @Test func `a time means the last record that is not younger`() async throws {
        let history = try History.random(2, records: 20)
        let timeline = Timeline(
            history.log, snapshots: nil, fingerprint: "code", base: Past<App>(state: App.State()),
            clock: StoreClock(wall: { 50_000_000 }, boot: { 0 }))
        #expect(try await timeline.resolve(.time(.min)) == 0)
        #expect(try await timeline.resolve(.time(999)) == 0)
        for header in history.headers {
            #expect(try await timeline.resolve(.time(header.time - 1)) == header.sequence - 1)
            #expect(try await timeline.resolve(.time(header.time)) == header.sequence)
            #expect(try await timeline.resolve(.time(header.time + 1)) == header.sequence)
        }
        // Nothing has happened between the last record and now; what comes after now is not known.
        #expect(try await timeline.resolve(.time(50_000_000)) == history.head)
        await #expect(throws: TravelError.future(head: history.head)) { try await timeline.resolve(.time(50_000_001)) }
    }

    @Test func `an empty log has one moment`() async throws {
        let timeline = History().timeline()
        for point in [.start, .now, .sequence(0), .back(0), .time(0)] as [Point] {
            #expect(try await timeline.resolve(point) == 0)
            #expect(try await timeline.state(at: point).state == App.State())
        }
        await #expect(throws: TravelError.future(head: 0)) { try await timeline.resolve(.sequence(1)) }
    }

    @Test func `a bookmark is a moment, and the same name again moves it`() async throws {
        var history = try History.random(3, records: 20)
        try history.bookmark("before-holidays", at: 11)
        try history.bookmark("Été", at: 0)
        let timeline = history.timeline()
        #expect(try await timeline.resolve(.bookmark("before-holidays")) == 11)
        #expect(try await timeline.state(at: .bookmark("before-holidays")).state == history.states[11])
        try history.bookmark("before-holidays", at: 12)
        #expect(try await timeline.resolve(.bookmark("before-holidays")) == 12)
        #expect(try await timeline.resolve(.bookmark("Été")) == 0)
        #expect(try await timeline.bookmarks().map(\.name) == ["before-holidays", "Été"])
        for name in ["Before-holidays", "before", "before-holidays2", "", String(repeating: "x", count: 500)] {
            await #expect(throws: TravelError.unknownBookmark(name)) { try await timeline.resolve(.bookmark(name)) }
        }
    }

    @Test func `so many records before a moment is a moment, unless the log begins later`() async throws {
        var history = try History.random(4, records: 20)
        try history.bookmark("here", at: 11)
        let (timeline, head) = (history.timeline(), history.head)
        #expect(try await timeline.resolve(.before(.bookmark("here"), 3)) == 8)
        #expect(try await timeline.resolve(.before(.bookmark("here"), 11)) == 0)
        #expect(try await timeline.resolve(.before(.before(.now, 2), 1)) == head - 3)
        #expect(try await timeline.resolve(.before(.sequence(5), 0)) == 5)
        for point in [.before(.bookmark("here"), 12), .before(.start, 1), .before(.now, .max)] as [Point] {
            await #expect(throws: TravelError.pruned(base: 0)) { try await timeline.resolve(point) }
        }
    }

    @Test(arguments: ["a", "mo", "marches", "before-holidays", "v1.0", "Été", "x_1", "日本"])
    func `a name can be given to a bookmark`(name: String) throws {
        #expect(try BookmarkName(name).text == name)
    }

    @Test(arguments: [
        "", "1234", "-3", "@x", "now", "Start", "TODAY", "thurs", "Tues", "a b", "a/b", "a\n", "_a", "é\u{7}",
        String(repeating: "a", count: 65),
    ])
    func `a name that means something else, or nothing, cannot`(name: String) {
        #expect(throws: TravelError.self) { try BookmarkName(name) }
    }
}
