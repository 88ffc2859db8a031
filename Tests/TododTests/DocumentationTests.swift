import FeatureApp
import Fields
import Testing

@testable import TodoDaemon

@Suite struct DocumentationTests {
    @Test func `every case of an action has its blank, so that it can be read, and what clients dispatch is documented`() {
        // By index, an action is logged under the name that it has by id.
        let twins: Set = ["todos.removeAt", "repositories.openAt"]
        let features = (1...App.Action.numberMax).compactMap(App.Action.blank).map(\.caseName)
        let cases = Set(featureDocumentation.keys.filter { $0.split(separator: ".").count == 2 }).subtracting(twins)
        guard case .record(let blanks) = App.Action.shape else {
            Issue.record("actions are a choice of features")
            return
        }
        let described = blanks.flatMap { feature in
            if case .record(let cases) = feature.shape { cases.map { feature.name + "." + $0.name } } else { [String]() }
        }
        #expect(cases == Set(described))
        #expect(blanks.map(\.name) == features && features.allSatisfy { featureDocumentation[$0] != nil })
    }
}
