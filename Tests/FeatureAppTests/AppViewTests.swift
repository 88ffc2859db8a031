import Fields
import FeatureApp
import FeatureCounter
import Reducing
import StoreTesting
import TestSupport
import Testing

@Suite struct AppViewTests {
    @Test func `what one feature shows is what the whole app shows of it, and of an unknown one nothing is shown`() throws {
        var state = App.State()
        try state.dispatch(.counter(.increment))
        let all = App.view(of: state)
        #expect(!App.children.isEmpty)
        for name in App.children {
            #expect(all[name] != nil)
            #expect(App.viewParts(of: state, child: name)?.value == all[name], "\(name)")
        }
        #expect(App.viewParts(of: state, child: "counter")?.value == Counter.view(of: state.counter))
        #expect(App.viewParts(of: state, child: "nope")?.value == nil)
        #expect(Counter.viewParts(of: state.counter, child: "sign")?.value == "positive")
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `what each feature shows follows from what it showed and what changed in it, whatever happens`(seed: UInt64) throws {
        var app = RandomApp(seed)
        for round in 1...40 {
            let before = app.state
            for _ in 0..<(round % 4 + 1) { app.step() }
            for name in App.children {
                let old = try #require(App.viewParts(of: before, child: name))
                let new = try #require(App.viewParts(of: app.state, child: name))
                let changes = try #require(new.changes(from: old, limit: .max))
                var screen = Screen(old.value)
                for change in changes {
                    let fits = screen.apply(change)
                    #expect(fits, "\(name): \(change)")
                }
                #expect(screen == Screen(new.value), "\(name)")
                #expect(changes.isEmpty == (old.value == new.value), "\(name)")
                #expect(try #require(App.viewParts(of: app.state).part(name)).value == new.value)
            }
        }
    }
}
