import Chronicle
import Testing

@Suite struct ChangeTests {
    @Test func `a parent prefixes the paths of changes and mismatches with a name`() {
        #expect(Change(path: "", kind: .set).under("todos").path == "todos")
        #expect(Change(path: "items", kind: .insert).under("todos").path == "todos.items")
        #expect(ValueMismatch("[0].title", "").under("items").under("add").path == "add.items[0].title")
    }
}
