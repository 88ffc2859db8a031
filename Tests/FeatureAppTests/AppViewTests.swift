import Chronicle
import ChronicleTesting
import FeatureApp
import FeatureCounter
import TestSupport
import Testing

@Suite struct AppViewTests {
    @Test func `the view of a feature is a part of the app's view, and an unknown feature has none`() throws {
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
    func `applying the changes to the state gives the new state, in which the same fields are left out`(seed: UInt64) throws {
        var app = RandomApp(seed)
        var screen = Screen(app.state, of: App.self)
        for round in 1...60 {
            let before = app.state
            for _ in 0..<(round % 4 + 1) { app.step() }
            for (old, new) in [(before, app.state), (app.state, before), (before, app.state)] {
                for change in try #require(App.changes(from: old, to: new, limit: .max)) {
                    let fits = screen.apply(change)
                    #expect(fits, "\(change)")
                }
                #expect(screen == Screen(new, of: App.self) && screen == Screen(new.value))
            }
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `applying the changes to a feature's view gives its new view`(seed: UInt64) throws {
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
