import Reducing

/// What an edit sets; what is `nil` stays as it is.
public struct TodoChanges: Sendable {
    /// What happens to the due.
    public enum DueChange: Sendable, Equatable {
        /// It is due then.
        case set(Due)
        /// It is no longer due.
        case clear
    }

    /// The new title.
    public var title: String?
    /// The new note; empty to have none.
    public var note: String?
    /// The new tags, all of them; empty to have none.
    public var tags: [String]?
    /// The new priority.
    public var priority: Priority?
    /// The new due.
    public var due: DueChange?

    /// Makes an edit.
    public init(
        title: String? = nil, note: String? = nil, tags: [String]? = nil, priority: Priority? = nil, due: DueChange? = nil
    ) {
        self.title = title
        self.note = note
        self.tags = tags
        self.priority = priority
        self.due = due
    }

    /// Whether nothing is set.
    public var isEmpty: Bool { title == nil && note == nil && tags == nil && priority == nil && due == nil }

    func apply(to todo: inout Todo) {
        if let title { todo.title = title }
        if let note { todo.note = note }
        if let tags { todo.tags = tags }
        if let priority { todo.priority = priority }
        switch due {
        case .set(let due): todo.due = due
        case .clear: todo.due = nil
        case nil: break
        }
    }
}
