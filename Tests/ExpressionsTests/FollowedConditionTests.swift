import ChronicleValues
import Expressions
import Testing

@Suite struct FollowedConditionTests {
    /// The fields of the elements, not in alphabetical order.
    private static let fields = ["tags", "title", "priority", "completed", "created"]
    private static let elements: [Value] = {
        var elements: [Value] = []
        for tags in [.null, [], ["a"], ["a", "b"], "a", 7] as [Value] {
            for title in ["Milk", "milk", "", .null] as [Value] {
                for priority in [.null, 0, 3] as [Value] {
                    for completed in [.null, 3, 7] as [Value] {
                        elements.append(.record(zip(fields, [tags, title, priority, completed, 5]).map { Value.Field($0, $1) }))
                    }
                }
            }
        }
        return elements
    }()

    @Test(arguments: [
        "todo.completed == null", #"todo.title != """#, "todo.completed == null or todo.completed >= todo.created",
        "count(todo.tags) <= 1", #"not contains(todo.title, "il")"#, #"lower(todo.title) == "milk" and todo.priority > 1"#,
        #"any(tag in todo.tags: tag == "b")"#, #"all(tag in todo.tags: tag < "b") and not (todo.priority == 3)"#,
        #"count(tag in todo.tags: tag == "a") == 1 or todo.title"#, "todo.priority + 1 > todo.created - 2", "1 == 1",
        "todo.nothing == null", "todo.tags.length == null",
    ])
    func `reading fields by position gives the same result as reading them by name`(text: String) throws {
        let byName = try Expression("count(todo in todos.items: \(text)) < 9").followed
        var (named, placed) = (byName, byName)
        placed.expect(Self.fields, loop: 0)
        var left = (named: Int.max, placed: Int.max)
        var met = 0
        for element in Self.elements {
            let holds = named.meets(element, loop: 0, left: &left.named)
            #expect(placed.meets(element, loop: 0, left: &left.placed) == holds, "\(element)")
            met += holds ? 1 : 0
        }
        #expect(left.placed < .max && left.named < .max)
        #expect((met > 0 && met < Self.elements.count) || text == "1 == 1" || text.hasSuffix("== null"))
    }

    @Test func `the step limit applies to elements and to conditions outside of loops`() throws {
        let text = (0..<60).map { "lower(todo.title) != 'z\($0)'" }.joined(separator: " and ")
        // Lowercasing it takes 2,000 steps.
        let long = String(repeating: "Ä", count: 4_000)
        let element: Value = ["title": .text(long)]
        var named = try Expression("count(todo in todos.items: \(text)) < 9").followed
        var placed = named
        placed.expect(["title"], loop: 0)
        var left = (named: 5_000, placed: 5_000, beside: 5_000)
        _ = named.meets(element, loop: 0, left: &left.named)
        _ = placed.meets(element, loop: 0, left: &left.placed)
        var beside = try Expression(text.replacing("todo.title", with: "todos.draft")).followed
        _ = beside.holds(where: { _ in .value(.text(long)) }, [], left: &left.beside)
        for left in [left.named, left.placed, left.beside] { #expect(left <= 0 && left > -2_100) }
    }
}
