import Reducing

/// Something to be done.
///
/// 56 bytes: note and tags, which most todos don't have, are stored aside.
public struct Todo: Sendable {
    /// Its id, a small whole number from 1 that is never used again; 0 before it is handed out.
    public var id: UInt64
    /// What is to be done.
    public var title: String
    // None or one.
    private var asides: [Aside]
    /// When it was added, in microseconds since 1970; 0 before it is.
    public var created: Int64
    /// When it was completed, in microseconds since 1970; `nil` while it is open.
    public var completed: Int64?
    /// How important it is.
    public var priority: Priority
    private var storedDue: Due

    private struct Aside: Sendable {
        var note = ""
        var tags: [String] = []
    }

    /// Makes a todo.
    public init(
        id: UInt64 = 0, title: String, note: String = "", tags: [String] = [], priority: Priority = .none, due: Due? = nil,
        created: Int64 = 0, completed: Int64? = nil
    ) {
        self.id = id
        self.title = title
        asides = note.utf8.isEmpty && tags.isEmpty ? [] : [Aside(note: note, tags: tags)]
        self.created = created
        self.completed = completed
        self.priority = priority
        storedDue = due ?? .none
    }

    /// More about it; empty for most.
    public var note: String {
        get { asides.first?.note ?? "" }
        set { changeAside { $0.note = newValue } }
    }

    /// Words to find it by, in the order given.
    public var tags: [String] {
        get { asides.first?.tags ?? [] }
        set { changeAside { $0.tags = newValue } }
    }

    /// When it is due.
    public var due: Due? {
        get { storedDue == .none ? nil : storedDue }
        set { storedDue = newValue ?? .none }
    }

    /// Whether it is done.
    public var isCompleted: Bool { completed != nil }

    private mutating func changeAside(_ change: (inout Aside) -> Void) {
        var aside = asides.first ?? Aside()
        change(&aside)
        asides = aside.note.utf8.isEmpty && aside.tags.isEmpty ? [] : [aside]
    }
}

extension Todo: Identifiable {}

extension Todo: Equatable {
    /// Compares everything, texts by their bytes.
    public static func == (left: Todo, right: Todo) -> Bool {
        left.id == right.id && left.created == right.created && left.completed == right.completed
            && left.priority == right.priority && left.storedDue == right.storedDue && left.title.hasSameBytes(as: right.title)
            && left.asides.count == right.asides.count
            && (left.asides.isEmpty || left.note.hasSameBytes(as: right.note) && left.tags.hasSameBytes(as: right.tags))
    }
}
