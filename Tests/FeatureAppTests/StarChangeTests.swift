import Chronicle
import FeatureApp
import FeatureStars
import Testing

@Suite struct StarChangeTests {
    @Test func `adding a star is one change`() {
        let old = App.State(stars: Stars.State(items: ["a": Star(.star, starCount: 1), "b": Star(.staring)]))
        var new = old
        _ = App.reduce(&new, .stars(.starred("b")), .test)
        let star = Star(.star, starCount: 1).value
        let change = Change(
            path: "stars.items", kind: .set, old: ["b": Star(.staring).value], new: .record([Value.Field("b", star)]))
        #expect(App.changes(from: old, to: new, limit: 9) == [change])
        #expect(App.changes(from: old, to: new, limit: 9, within: ["stars", "items"]) == [change])
    }
}
