public import Fields

/// What an edit sets; what is `nil` stays as it is.
public struct TodoChanges: Fielded {
    /// What happens to the due.
    public enum DueChange: Sendable, Equatable {
        /// It is due then.
        case set(Due)
        /// It is no longer due.
        case clear
    }

    /// The new title.
    @Exact public var title: String?
    /// The new note; empty to have none.
    @Exact public var note: String?
    /// The new tags, all of them; empty to have none.
    @Exact public var tags: [String]?
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

    /// Makes an edit that sets nothing.
    public init() { self.init(title: nil) }

    /// Its fields, under the numbers of the todo's; 1 is the id, which the action names before.
    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(2, "title", &title)
        try visitor.field(3, "note", &note)
        var list = tags.map(WholeList.init)
        try visitor.field(4, "tags", &list)
        tags = list?.elements
        try visitor.field(5, "priority", &priority)
        try visitor.field(6, "due", &due)
    }

    /// Whether nothing is set.
    public var isEmpty: Bool { title == nil && note == nil && tags == nil && priority == nil && due == nil }

    /// What makes one todo of another, but for its times.
    init(from old: Todo, to new: Todo) {
        self.init(
            title: old.title.hasSameBytes(as: new.title) ? nil : new.title,
            note: old.note.hasSameBytes(as: new.note) ? nil : new.note,
            tags: old.tags.hasSameBytes(as: new.tags) ? nil : new.tags,
            priority: old.priority == new.priority ? nil : new.priority,
            due: old.due == new.due ? nil : new.due.map { .set($0) } ?? .clear)
    }

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

/// The empty text and 0 to clear it.
extension TodoChanges.DueChange: Field {
    /// A text.
    public static var shape: Shape { .text }
    /// Never: what stays as it is has no change.
    public var isInitial: Bool { false }

    /// The due, or the empty text.
    public var value: Value {
        switch self {
        case .set(let due): due.value
        case .clear: ""
        }
    }

    /// Reads a due, or the empty text.
    public init(_ value: Value) throws(ValueMismatch) { self = value == "" ? .clear : .set(try Due(value)) }

    /// `Due.bits`, or 0.
    public func write(_ number: UInt32, into writer: inout CanonicalWriter) {
        switch self {
        case .set(let due): due.write(number, into: &writer)
        case .clear: writer.element(number, 0 as UInt64)
        }
    }

    /// Reads `Due.bits`, or 0.
    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
        let bits = try cursor.uintElement(bytes)
        if bits == 0 { return .clear }
        guard let due = Due(bits: bits) else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        return .set(due)
    }
}
