public import Fields

/// What an edit sets; what is `nil` stays as it is.
public struct TodoChanges: Fielded {
    /// What happens to the due, to the wait or to a reminder.
    public enum DueChange: Sendable, Equatable {
        /// It is then.
        case set(Due)
        /// There is none any more.
        case clear

        /// What makes one of another; `nil` where they are equal.
        init?(from old: Due?, to new: Due?) {
            guard old != new else { return nil }
            self = new.map(Self.set) ?? .clear
        }

        /// What there is afterwards.
        var outcome: Due? {
            if case .set(let due) = self { due } else { nil }
        }
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
    /// The new wait.
    public var wait: DueChange?
    /// The ids of the todos that are to be done before, all of them; empty to have none.
    public var after: [UInt64]?
    /// The new rule by which it recurs; empty to have none.
    @Exact public var every: String?
    /// The new reminder.
    public var remind: DueChange?
    /// Which reminder was given.
    public var reminded: DueChange?
    /// The new origin; that of none to have none.
    public var origin: TodoOrigin?
    /// How long before the due the reminder is from now on, in microseconds, wherever that moves; negative: it stays where it is.
    public var remindBefore: Int64?

    /// Makes an edit.
    public init(
        title: String? = nil, note: String? = nil, tags: [String]? = nil, priority: Priority? = nil, due: DueChange? = nil,
        wait: DueChange? = nil, after: [UInt64]? = nil, every: String? = nil, remind: DueChange? = nil,
        reminded: DueChange? = nil, origin: TodoOrigin? = nil, remindBefore: Int64? = nil
    ) {
        self.title = title
        self.note = note
        self.tags = tags
        self.priority = priority
        self.due = due
        self.wait = wait
        self.after = after
        self.every = every
        self.remind = remind
        self.reminded = reminded
        self.origin = origin
        self.remindBefore = remindBefore
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
        try visitor.field(9, "wait", &wait)
        var others = after.map(WholeList.init)
        try visitor.field(10, "after", &others)
        after = others?.elements
        try visitor.field(11, "every", &every)
        try visitor.field(12, "remind", &remind)
        visitor.filledIn()
        try visitor.field(13, "reminded", &reminded)
        visitor.filledIn()
        try visitor.field(14, "origin", &origin)
        try visitor.field(16, "remindBefore", &remindBefore)
    }

    /// Whether nothing is set.
    public var isEmpty: Bool { self == TodoChanges() }

    /// What makes one todo of another, but for its times.
    init(from old: Todo, to new: Todo) {
        self.init(
            title: old.title.hasSameBytes(as: new.title) ? nil : new.title,
            note: old.note.hasSameBytes(as: new.note) ? nil : new.note,
            tags: old.tags.hasSameBytes(as: new.tags) ? nil : new.tags,
            priority: old.priority == new.priority ? nil : new.priority,
            due: DueChange(from: old.due, to: new.due),
            wait: DueChange(from: old.wait, to: new.wait),
            after: old.after == new.after ? nil : new.after,
            every: old.every.hasSameBytes(as: new.every) ? nil : new.every,
            remind: DueChange(from: old.remind, to: new.remind),
            reminded: DueChange(from: old.reminded, to: new.reminded),
            origin: old.origin == new.origin ? nil : new.origin,
            remindBefore: old.remindBefore == new.remindBefore ? nil : new.remindBefore ?? -1)
    }

    func apply(to todo: inout Todo) {
        if let title { todo.title = title }
        if let note { todo.note = note }
        if let tags { todo.tags = tags }
        if let priority { todo.priority = priority }
        if let due { todo.due = due.outcome }
        if let wait { todo.wait = wait.outcome }
        if let after { todo.after = after }
        if let every { todo.every = every }
        if let remind { todo.remind = remind.outcome }
        if let reminded { todo.reminded = reminded.outcome }
        if let origin { todo.origin = origin }
        if let remindBefore { todo.remindBefore = remindBefore < 0 ? nil : remindBefore }
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
