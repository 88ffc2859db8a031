public import ActionCoding

extension Todos.Action: CanonicalCodable {
    /// One field, the case, with a message: 1 add (1 todos), 2 edit (1 id, then as `TodoChanges`), 3 complete (1 id, 2 time), 4 reopen (1 id),
    /// 5 remove (1 id, or 2 index), 6 putBack (1 placed todos), 7 move (1 id, 2 index), 8 clearCompleted (1 ids), 9 updateText (1 text), 10 submit,
    /// 11 load, 12 loaded (1 todos), 13 loadFailed (1 reason).
    public func encode(into writer: inout CanonicalWriter) {
        switch self {
        case .add(let todos):
            writer.message(1) { writer in
                for todo in todos { writer.message(1, todo) }
            }
        case .edit(let id, let changes):
            writer.message(2) { writer in
                writer.field(1, id)
                changes.encode(into: &writer)
            }
        case .complete(let id, let time):
            writer.message(3) { writer in
                writer.field(1, id)
                if let time { writer.element(2, time) }
            }
        case .reopen(let id):
            writer.message(4) { $0.field(1, id) }
        case .remove(let id):
            writer.message(5) { $0.field(1, id) }
        case .removeAt(let index):
            writer.message(5) { $0.element(2, UInt64(clamping: index)) }
        case .putBack(let placed):
            writer.message(6) { writer in
                for place in placed { writer.message(1, place) }
            }
        case .move(let id, let index):
            writer.message(7) { writer in
                writer.field(1, id)
                writer.field(2, UInt64(clamping: index))
            }
        case .clearCompleted(let ids):
            writer.message(8) { writer in
                for id in ids { writer.element(1, id) }
            }
        case .updateText(let text):
            writer.message(9) { $0.field(1, text) }
        case .submit:
            writer.message(10) { _ in }
        case .load:
            writer.message(11) { _ in }
        case .loaded(let todos):
            writer.message(12) { writer in
                for todo in todos { writer.message(1, todo) }
            }
        case .loadFailed(let reason):
            writer.message(13) { $0.field(1, reason) }
        }
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        guard (1...13).contains(number) else { throw cursor.unknown() }
        var inner = try cursor.enterSingle(bytes)
        guard cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
        switch number {
        case 1: self = .add(try inner.list(bytes))
        case 2: self = try Self.edit(bytes, &inner)
        case 6: self = .putBack(try inner.list(bytes))
        case 8: self = try Self.clearCompleted(bytes, &inner)
        case 9: self = .updateText(try Self.text(bytes, &inner))
        case 10: self = .submit
        case 11: self = .load
        case 12: self = .loaded(try inner.list(bytes))
        case 13: self = .loadFailed(try Self.text(bytes, &inner))
        default: self = try Self.aboutOne(number, bytes, &inner)
        }
        guard inner.isAtEnd else { throw CanonicalError(.trailingBytes, at: inner.offset) }
    }

    private static func edit(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
        var id: UInt64 = 0
        var changes = TodoChanges()
        while let number = try cursor.nextField(in: bytes) {
            if number == 1 { id = try cursor.id(bytes) } else { try changes.read(number, bytes, &cursor) }
        }
        guard id > 0 else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        return .edit(id, changes)
    }

    private static func clearCompleted(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
        var ids: [UInt64] = []
        while let number = try cursor.nextField(in: bytes) {
            guard number == 1 else { throw cursor.unknown() }
            ids.append(try cursor.id(of: try cursor.uintElement(bytes)))
        }
        return .clearCompleted(ids)
    }

    /// The text of a message that is nothing but one, numbered 1.
    private static func text(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> String {
        var text = ""
        while let number = try cursor.nextField(in: bytes) {
            guard number == 1 else { throw cursor.unknown() }
            text = try cursor.text(bytes)
        }
        return text
    }

    /// The cases that name one todo, and have at most one number besides.
    private static func aboutOne(
        _ choice: UInt32, _ bytes: RawSpan, _ cursor: inout CanonicalCursor
    ) throws(CanonicalError) -> Self {
        var id: UInt64?
        var time: Int64?
        var index: Int?
        while let number = try cursor.nextField(in: bytes) {
            switch (choice, number) {
            case (_, 1): id = try cursor.id(bytes)
            case (3, 2): time = try cursor.intOrZero(bytes)
            case (5, 2): index = try cursor.index(of: try cursor.uintOrZero(bytes))
            case (7, 2): index = try cursor.index(of: try cursor.uint(bytes))
            default: throw cursor.unknown()
            }
        }
        if choice == 5, let index {
            guard id == nil else { throw CanonicalError(.notCanonical, at: cursor.offset) }
            return .removeAt(index: index)
        }
        guard let id else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        return switch choice {
        case 3: .complete(id, at: time)
        case 4: .reopen(id)
        case 5: .remove(id)
        default: .move(id, to: index ?? 0)
        }
    }
}

extension CanonicalCursor {
    /// The messages of a message that is nothing but a list of them, numbered 1.
    fileprivate mutating func list<Element: CanonicalCodable>(_ bytes: RawSpan) throws(CanonicalError) -> [Element] {
        var elements: [Element] = []
        while let number = try nextField(in: bytes) {
            guard number == 1 else { throw unknown() }
            elements.append(try message(bytes))
        }
        return elements
    }
}
