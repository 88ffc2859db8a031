import Chronicle
import Expressions
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
        "not (id < 2 or id > 5 and title == 'e')", "id * 2 - 1 > 5 or -id == 0", "all(tag in tags: tag == 'work')",
        "any(tag in tags: lower(tag) == 'home' and id > 3 or startsWith(tag, 'x'))", "any(part in origin: part == 'paper')",
        "all(part in origin: endsWith(part, 'r')) and length(title) == 1", "any(tag in tags: any(other in tags: other == tag))",
        "title > 'd' and any(tag in tags: length(tag) == 4)", "id == 2 or count(tags) == 0 and id == 3",
        // Many conditions on the same columns.
        ((0..<70).map { "not (id == 1\($0) and title == 'z')" } + ["id > 3"]).joined(separator: " and "),
    ])
    func `a list condition agrees with evaluating each element, for any pauses`(text: String) throws {
        let expression = try Expression(text)
        let elements = Self.elements
        let list = ListView(path: "items", count: elements.count) { Array(elements[$0]) }
        for steps in [1, 2, 1_024] {
            var condition = expression.condition(onElementsOf: list)
            for (place, element) in elements.enumerated() {
                // An abandoned evaluation must not affect the next one.
                condition.begin(at: 0)
                _ = condition.advance(steps: 1)
                #expect(condition.holds(at: place, steps: steps) == expression.holds(in: ValueReader(element)), "\(element)")
            }
            #expect(condition.steps >= 2 * elements.count)
        }
    }

    @Test(
        arguments: [
            ("list[id + 1].title == 'd'", [3]), ("list[4] and id < 2", [0, 1]), ("not list[id - 1]", [0]), ("list[title]", []),
            ("any(tag in tags: list[id + 2].tags[@0] == tag)", [0, 2, 4]), ("list[2].origin.app == 'paper' and id == 7", [7]),
        ] as [(String, [Int64])])
    func `a condition may read other elements of the list by a computed ID`(text: String, ids: [Int64]) throws {
        let elements = Self.elements
        let pages = ListView(path: "items", count: elements.count) { Array(elements[$0]) }
        var found = pages
        found.find = { id in elements.first { $0["id"] == .int(id) } }
        for list in [pages, found] {
            var condition = try Expression(text, on: .element).condition(onElementsOf: list)
            let holding = elements.indices.filter { condition.holds(at: $0, steps: 1) }
            #expect(holding.map { elements[$0]["id"]?.int } == ids, "\(text)")
        }
    }

    @Test(arguments: [
        ("list[title]", "a number is expected, and this is a text"), ("list[1].titel", "did you mean title?"),
        ("list[1", "a closing bracket is expected"),
    ])
    func `a place in another element is checked against the shape`(text: String, sentence: String) throws {
        let element: Shape = ["id": .int, "title": .text]
        let error = #expect(throws: ExpressionError.self) { try Expression(text, of: element, on: .element) }
        #expect(error?.message.contains(sentence) == true, "\(String(describing: error))")
        #expect(throws: ExpressionError.self) { try Expression("list[1].title == 'd'", of: element) }
        #expect(throws: ExpressionError.self) { try Expression("list[1]", of: ["title": .text], on: .element) }
        // A field named list shadows the list.
        _ = try Expression("list[@0] == 1", of: ["id": .int, "list": .list(.int)], on: .element)
    }

    @Test func `a sieve finds the matching elements within its step limit`() throws {
        let elements = Self.elements
        let list = ListView(path: "items", count: elements.count) { Array(elements[$0]) }
        var condition = try Expression("id > 3 and title == 'e'").condition(onElementsOf: list)
        var found: [Int] = []
        #expect(condition.sift(0..<8, &found, stepsMax: .max) == 8)
        #expect(found == [5, 6, 7])
        found = []
        var (place, times) = (0, 0)
        while place < 8 {
            place += condition.sift(place..<8, &found, stepsMax: 8)
            times += 1
        }
        #expect(found == [5, 6, 7] && times > 3)
    }

    /// Conditions with sixty tests of 2,000 steps each for the second element.
    @Test(arguments: [
        ((0..<60).map { "lower(note) != 'z\($0)'" }.joined(separator: " and ") + " and note != 'y'", [0, 1]),
        ("not (" + (0..<60).map { "lower(note) == 'z\($0)'" }.joined(separator: " or ") + ") and note != 'y'", [0, 1]),
        ((0..<60).map { "lower(note) == 'z\($0)'" }.joined(separator: " or ") + " or note == 'x'", [0]),
        ("any(part in parts: " + (0..<60).map { "lower(part) == 'z\($0)'" }.joined(separator: " or ") + ") or note == 'x'", [0]),
    ])
    func `a sieve leaves an element that exceeds its step limit to a resumable evaluation`(
        text: String, meeting: [Int]
    ) throws {
        let notes = ["x", String(repeating: "Ä", count: 4_000), "y"]
        let elements: [Value] = notes.map { ["note": .text($0), "parts": [.text($0)]] }
        let list = ListView(path: "items", count: 3) { Array(elements[$0]) }
        var condition = try Expression(text).condition(onElementsOf: list)
        var found: [Int] = []
        #expect(condition.sift(0..<3, &found, stepsMax: 4_096) == 1 && found == [0])
        var before = condition.steps
        #expect(condition.sift(1..<3, &found, stepsMax: 4_096) == 1 && found == [0, 1])
        #expect(condition.steps - before < 4_096 + 2_100)
        condition.begin(at: 1)
        var (holds, turns) = (nil as Bool?, 0)
        while holds == nil {
            before = condition.steps
            holds = condition.advance(steps: 1_024)
            #expect(condition.steps - before < 1_024 + 2_100)
            turns += 1
        }
        #expect(holds == meeting.contains(1) && turns > 50)
        #expect(condition.sift(2..<3, &found, stepsMax: 4_096) == 1 && found == [0, 1])
    }
}

extension ElementCondition {
    /// Whether it holds for the element at an index, pausing every `steps` steps.
    fileprivate mutating func holds(at place: Int, steps: Int) -> Bool {
        var found: [Int] = []
        _ = sift(place..<place + 1, &found, stepsMax: steps)
        guard !found.isEmpty else { return false }
        begin(at: place)
        while true {
            if let holds = advance(steps: steps) { return holds }
        }
    }
}
