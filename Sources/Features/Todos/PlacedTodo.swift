/// A whole todo and the place it is put back to.
public struct PlacedTodo: Sendable, Equatable {
    /// The todo, with its id and times.
    public var todo: Todo
    /// Its index once it is back; behind the last where the list is shorter.
    public var index: Int

    /// Makes a placed todo.
    public init(_ todo: Todo, at index: Int) {
        self.todo = todo
        self.index = index
    }
}
