import Reducing
import Testing

@Suite struct ChangeTests {
    @Test func `a change and a mismatch seen from above carry the name before their path`() {
        #expect(Change(path: "", kind: .set).under("todos").path == "todos")
        #expect(Change(path: "items", kind: .insert).under("todos").path == "todos.items")
        #expect(ValueMismatch("[0].title", "").under("items").under("add").path == "add.items[0].title")
    }
}
