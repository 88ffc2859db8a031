import Chronicle
import ChronicleTesting
import LinkFeatures
import Testing

@Suite struct LinksTests {
    private let swift = Link(id: 1, url: "https://www.swift.org", title: "Swift")

    @Test func `an added link is checked at once, and again after the interval`() {
        let store = TestStore(LinkApp.State(settings: .init(interval: 60)), of: LinkApp.self)
        store.send(.links(.add(Link(url: swift.url, title: "Swift"))), logging: [.links(.add(swift))]) { $0.links.append(swift) }
        store.expect(.links(.check(1, after: 0)))
        store.receive(.links(.checked(1, status: 200))) {
            $0.links.items.update(1) { ($0.status, $0.checked) = (200, store.context.time) }
        }
        store.expect(.links(.check(1, after: 60)))
        store.send(.links(.remove(1))) { $0.links.items.remove(1) }
        // The check of a removed link has no result.
        store.close(.links(.check(1, after: 60)))
        store.finish()
    }

    @Test func `a text that is no web address, an unknown link and an interval of more than a week are refused`() {
        var state = LinkApp.State()
        state.links.append(swift)
        let store = TestStore(state, of: LinkApp.self)
        store.refuse(.links(.add(Link(url: "swift.org"))), name: "NoWebAddress")
        store.refuse(.links(.rename(2, title: "Swift")), name: "UnknownID")
        store.refuse(.settings(.setInterval(seconds: 604_801)), name: "IntervalTooLong")
        store.finish()
    }

    @Test func `undoing a new title keeps the result of a check since then`() {
        var (before, after, now) = (Links.State(), Links.State(), Links.State())
        before.append(Link(id: 1, url: swift.url))
        after.append(swift)
        now.append(Link(id: 1, url: swift.url, title: "Swift", status: 200))
        let undone = Links.reverted(now, from: after, to: before)
        #expect(undone.conflicts.isEmpty)
        #expect(undone.state.items[1] == Link(id: 1, url: swift.url, status: 200))
    }
}
