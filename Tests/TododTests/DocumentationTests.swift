import Chronicle
import FeatureApp
import Testing

@Suite struct DocumentationTests {
    @Test func `every feature and every action that clients dispatch is documented`() {
        guard case .record(let features) = App.Action.shape else {
            Issue.record("actions are a choice of features")
            return
        }
        for feature in features {
            #expect(App.documentation[feature.name] != nil)
            guard case .record(let cases) = feature.shape else { continue }
            for action in cases { #expect(App.documentation[feature.name + "." + action.name] != nil) }
        }
    }
}
