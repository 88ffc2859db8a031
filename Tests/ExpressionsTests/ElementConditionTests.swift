import Expressions
import Reducing
import Testing

@Suite struct ElementConditionTests {
    private static let elements: [Value] = (0..<8).map { id in
        [
            "id": .int(id), "title": .text(id == 4 ? "d" : "e"), "tags": id % 2 == 0 ? ["home"] : [],
            "origin": id == 2 ? ["app": "paper"] : .null,
        ]
    }

    @Test(arguments: [
        "id > 3", "id == 4 and title == 'd'", "any(tag in tags: tag == 'home')", "count(tags) == 1", "not id < 4",
        "contains(title, 'd') and id > 2 or id == 1",
        "any(tag in tags: tag == 'home') and id > 3 and not contains(title, 'd')", "origin.app == 'paper'",
        "tags[@0] == 'home' and origin == null", "missing == null and id != 3", "true", "false and id > 1",
    ])
    func `a condition on the elements of a list holds as it does for each of them, however often it pauses`(text: String) throws {
        let expression = try Expression(text)
        let elements = Self.elements
        let list = ListView(path: "items", count: elements.count) { Array(elements[$0]) }
        for steps in [1, 2, 1_024] {
            var conditions = expression.conditions(onElementsOf: list)
            let values = conditions.map { condition in
                var values: [Value] = []
                condition.columns.append(0..<elements.count, &values)
                return values
            }
            for (place, element) in elements.enumerated() {
                let answers = conditions.indices.map { index in
                    // Something of it is forgotten halfway.
                    conditions[index].begin(values[index], at: 0)
                    _ = conditions[index].advance(steps: 1)
                    conditions[index].begin(values[index], at: place * conditions[index].columns.names.count)
                    while true {
                        if let holds = conditions[index].advance(steps: steps) { return holds }
                    }
                }
                #expect(answers.allSatisfy(\.self) == expression.holds(in: ValueReader(element)), "\(element)")
            }
            #expect(conditions.allSatisfy { $0.steps >= 2 * elements.count })
        }
    }
}
