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

    @Test(
        arguments: [
            ("list[id + 1].title == 'd'", [3]), ("list[4] and id < 2", [0, 1]), ("not list[id - 1]", [0]), ("list[title]", []),
            ("any(tag in tags: list[id + 2].tags[@0] == tag)", [0, 2, 4]), ("list[2].origin.app == 'paper' and id == 7", [7]),
        ] as [(String, [Int64])])
    func `a condition may ask for other elements of the list, by what it computes`(text: String, ids: [Int64]) throws {
        let elements = Self.elements
        let pages = ListView(path: "items", count: elements.count) { Array(elements[$0]) }
        var found = pages
        found.find = { id in elements.first { $0["id"] == .int(id) } }
        for list in [pages, found] {
            var conditions = try Expression(text, on: .element).conditions(onElementsOf: list)
            let holding = elements.filter { element in
                conditions.indices.allSatisfy { index in
                    let fields = conditions[index].columns.names.map { element[$0] ?? .null }
                    conditions[index].begin(fields, at: 0)
                    while true {
                        if let holds = conditions[index].advance(steps: 1) { return holds }
                    }
                }
            }
            #expect(holding.map { $0["id"]?.int } == ids, "\(text)")
        }
    }

    @Test(arguments: [
        ("list[title]", "a number is expected, and this is a text"), ("list[1].titel", "did you mean title?"),
        ("list[1", "a closing bracket is expected"),
    ])
    func `another element is asked for as it can be there`(text: String, sentence: String) throws {
        let element: Shape = ["id": .int, "title": .text]
        let error = #expect(throws: ExpressionError.self) { try Expression(text, of: element, on: .element) }
        #expect(error?.message.contains(sentence) == true, "\(String(describing: error))")
        #expect(throws: ExpressionError.self) { try Expression("list[1].title == 'd'", of: element) }
        #expect(throws: ExpressionError.self) { try Expression("list[1]", of: ["title": .text], on: .element) }
        // A field that is called so is meant first.
        _ = try Expression("list[@0] == 1", of: ["id": .int, "list": .list(.int)], on: .element)
    }
}
