import Chronicle
import TodoFormats

/// Decides which changes by others could invalidate a planned import.
struct ImportWarning {
    private let plan: ImportPlan
    private let changed: Set<Int64>
    private let titles: Set<String>
    private let linked: Set<Int64>

    init(_ plan: ImportPlan) {
        self.plan = plan
        changed = Set(plan.changed.flatMap { [$0.todo.id, $0.origin?.id ?? $0.todo.id] })
        titles = Set(plan.added.map(\.title))
        let names = plan.added.flatMap(\.after) + plan.changed.flatMap { $0.after ?? [] }
        linked = Set(names.compactMap(plan.names.id(named:)))
    }

    /// Whether a change affects a todo that the plan changes or links to, or may equal one that it adds.
    func includes(_ change: Change) -> Bool {
        guard change.kind != .move else { return false }
        guard let id = change.id, !changed.contains(id), !linked.contains(id) else { return true }
        guard let todo = change.new.flatMap(Todo.init) else { return false }
        return todo.origin?.isOf(plan.format) == true || titles.contains(todo.title)
    }
}
