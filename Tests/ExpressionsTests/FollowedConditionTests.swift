import Expressions
import Testing
import Values

/// Elements that are asked one by one whether they meet the condition of a loop.
@Suite struct FollowedConditionTests {
    /// The fields in which the elements differ, in an order that is none of their names.
    private static let fields = ["tags", "title", "priority", "completed", "created"]
    private static let elements: [[Value.Field]] = {
        var elements: [[Value.Field]] = []
        for tags in [.null, [], ["a"], ["a", "b"], "a", 7] as [Value] {
            for title in ["Milk", "milk", "", .null] as [Value] {
                for priority in [.null, 0, 3] as [Value] {
                    for completed in [.null, 3, 7] as [Value] {
                        elements.append(zip(fields, [tags, title, priority, completed, 5]).map { Value.Field($0, $1) })
                    }
                }
            }
        }
        return elements
    }()

    /// A stack machine looks the fields up by name; a tree is told where they stand.
    @Test(arguments: [
        "todo.completed == null", #"todo.title != """#, "todo.completed == null or todo.completed >= todo.created",
        "count(todo.tags) <= 1", #"not contains(todo.title, "il")"#, #"lower(todo.title) == "milk" and todo.priority > 1"#,
        #"any(tag in todo.tags: tag == "b")"#, #"all(tag in todo.tags: tag < "b") and not (todo.priority == 3)"#,
        #"count(tag in todo.tags: tag == "a") == 1 or todo.title"#, "todo.priority + 1 > todo.created - 2", "1 == 1",
        "todo.nothing == null", "todo.tags.length == null",
    ])
    func `an element meets a condition alike, whether it is asked by name or by place`(text: String) throws {
        let byName = try Expression("count(todo in todos.items: \(text)) < 9").followed
        var (named, placed) = (byName, byName)
        placed.expect(Self.fields, loop: 0)
        var steps = (named: 0, placed: 0)
        var met = 0
        for element in Self.elements {
            let holds = named.meets(FollowedElement(element), loop: 0, steps: &steps.named)
            #expect(placed.meets(FollowedElement(element), loop: 0, steps: &steps.placed) == holds, "\(element)")
            met += holds ? 1 : 0
        }
        #expect(steps.placed > 0 && steps.named > 0)
        #expect((met > 0 && met < Self.elements.count) || text == "1 == 1" || text.hasSuffix("== null"))
    }
}
