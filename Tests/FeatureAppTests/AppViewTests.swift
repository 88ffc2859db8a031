import Fields
import FeatureApp
import FeatureCounter
import Reducing
import StoreTesting
import Testing

@Suite struct AppViewTests {
    @Test func `what one feature shows is what the whole app shows of it, and of an unknown one nothing is shown`() throws {
        var state = App.State()
        try state.dispatch(.counter(.increment))
        let all = App.view(of: state)
        #expect(!App.children.isEmpty)
        for name in App.children {
            #expect(all[name] != nil)
            #expect(App.view(of: state, child: name) == all[name], "\(name)")
        }
        #expect(App.view(of: state, child: "counter") == Counter.view(of: state.counter))
        #expect(App.view(of: state, child: "nope") == nil)
    }
}
