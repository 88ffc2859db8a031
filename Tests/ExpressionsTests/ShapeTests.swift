import Chronicle
import Expressions
import Testing

@Suite struct ShapeTests {
    static let shape: Shape = [
        "counter": ["count": .int],
        "todos": ["items": .list(["id": .int, "title": .text, "tags": .list(.text), "completed": .int]), "loading": .bool],
        "stars": .map(["phase": .text]),
        "buttons": .list(["id": .text]),
    ]

    @Test(arguments: [
        ("count.level > 3", "counter.count > 3"),
        ("any(t in todos.items: t.name == 'x')", "any(t in todos.items: t.title == 'x')"),
        ("todos.items[@0].subject != ''", "todos.items[@0].title != ''"), ("count(todos.entries) > 0", "count(todos.items) > 0"),
        ("count[\"level\"] > 3 and todos.entries[1].name != ''", "counter.count > 3 and todos.items[1].title != ''"),
    ])
    func `a former name of a field means the field`(old: String, new: String) throws {
        let todo: Shape = .record([.init("id", .int), .init("title", .text, formerNames: ["name", "subject"])])
        let shape: Shape = .record([
            .init("counter", .record([.init("count", .int, formerNames: ["level"])]), formerNames: ["count"]),
            .init("todos", .record([.init("items", .list(todo), formerNames: ["entries"])])),
        ])
        #expect(try Expression(old, of: shape).reads.paths == Expression(new, of: shape).reads.paths)
        let error = #expect(throws: ExpressionError.self) { try Expression("counter.label > 3", of: shape) }
        #expect(error?.message == "there is no field label here, only count")
    }

    @Test(arguments: [
        ("counter.cuont > 3", 9, "there is no field cuont here; did you mean count?"),
        ("cuonter.count > 3", 1, "there is no field cuonter here; did you mean counter?"),
        (
            "any(todo in todos.items: todo.titel == 'Milk')", 31,
            "there is no field titel here; did you mean title?"
        ),
        (
            "counter.count > 3 and todos.items[12].note", 39,
            "there is no field note here, only id, title, tags and completed"
        ),
        ("counter.count.digits", 15, "a number has no parts"),
        ("counter[0] == 1", 9, "a record is read by field: count"),
        (
            "todos.items.title == ''", 13,
            "a list has no fields; [12] selects by id, [@0] by position, and any(x in LIST: x.FIELD) reads all"
        ),
        ("todos.items['a']", 13, "the ids of this list are numbers, like [12]"),
        ("buttons[12]", 9, "the ids of this list are texts, like [\"apple/swift\"]"),
        ("todos.items[@0].tags[12]", 22, "the elements of this list have no ids; [@0] is the first"),
        ("stars[12]", 7, "a name in quotes is expected, like [\"apple/swift\"]"),
        ("count(counter.count) > 1", 7, "a list is expected, and this is a number"),
        ("any(x in todos.loading: x)", 10, "a list is expected, and this is a truth value"),
        ("counter.count > \"3\"", 17, "a number and a text have no order and are never equal"),
        ("todos.items[1].completed == true", 29, "a number and a truth value have no order and are never equal"),
        ("'a' == (counter.count)", 8, "a text and a number have no order and are never equal"),
        ("todos.loading > false", 17, "truth values have no order"),
        ("todos.items[@0].tags == 'shop'", 25, "a list is compared by element: any(x in LIST: x == ...)"),
        ("todos.items[@0] == 1", 20, "a record is compared by field"),
        (
            "count(todos.items) == any(x in todos.items: x.id == 1)", 23,
            "a number and a truth value have no order and are never equal"
        ),
        ("contains(counter.count, '3')", 10, "a text is expected, and this is a number"),
        ("any(t in todos.items: contains(t.titel, 'x'))", 34, "there is no field titel here; did you mean title?"),
        (
            "any(t in todos.items: contains(t.tags, 'x'))", 32,
            "a text is expected, and this is a list: any(x in LIST: contains(x, ...)) looks at each element"
        ),
        ("contains(stars, 'x')", 10, "a text is expected, and this is a record"),
        ("contains((not todos.loading), 'x')", 10, "a text is expected, and this is a truth value"),
        ("contains(todos.items[@0].title, 'x') == 'y'", 41, "a truth value and a text have no order and are never equal"),
        ("(not todos.loading) == 1", 24, "a truth value and a number have no order and are never equal"),
    ]) func `a place that the shape excludes is refused with its column`(text: String, column: Int, message: String) {
        #expect(throws: ExpressionError(message, column: column)) { try Expression(text, of: Self.shape) }
    }

    @Test(arguments: [
        "counter.count > 3", "todos.items[12].completed == null", "todos.items[@-1].tags[@0] != 'x'",
        "stars[\"a/b\"].phase == 'star'",
        "stars.swift.phase < 'z'", "buttons['a'] == null", "count(stars) > 2 or count(todos) == 2", "todos.items == null",
        "all(star in stars: star.phase == 'star')", "any(x in todos: x == 3 or x.y == 'z')",
        "contains(todos.items[12].title, 'x') == todos.loading", "any(x in todos: contains(x, 'x'))",
        "any(todos in todos.items: todos.id < 3)", "(counter.count or todos.loading) == true",
    ]) func `an expression that fits the shape is accepted`(text: String) throws {
        _ = try Expression(text, of: Self.shape)
    }

    @Test func `a path is checked against the shape`() throws {
        #expect(throws: ExpressionError("there is no field titel here; did you mean title?", column: 17)) {
            try Path("todos.items[12].titel", of: Self.shape)
        }
        #expect(try Path("todos.items[12].title", of: Self.shape).steps.count == 4)
    }
}
