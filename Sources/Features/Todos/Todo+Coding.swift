public import ActionCoding

extension Todo: CanonicalCodable {
    /// Fields: 1 id, 2 title, 3 note, 4 tags (a list), 5 priority, 6 due (`Due.bits`), 7 created (signed), 8 completed (signed, also when 0).
    public func encode(into writer: inout CanonicalWriter) {
        writer.field(1, id)
        writer.field(2, title)
        writer.field(3, note)
        for tag in tags { writer.element(4, tag) }
        writer.field(5, UInt64(priority.rawValue))
        writer.field(6, due?.bits ?? 0)
        writer.field(7, created)
        if let completed { writer.element(8, completed) }
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        var id: UInt64 = 0
        var title = ""
        var note = ""
        var tags: [String] = []
        var priority = Priority.none
        var due: Due?
        var created: Int64 = 0
        var completed: Int64?
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: id = try cursor.id(bytes)
            case 2: title = try cursor.text(bytes)
            case 3: note = try cursor.text(bytes)
            case 4: tags.append(try cursor.textElement(bytes))
            case 5: priority = try cursor.priority(of: try cursor.uint(bytes))
            case 6: due = try cursor.due(of: try cursor.uint(bytes))
            case 7: created = try cursor.int(bytes)
            case 8: completed = try cursor.intOrZero(bytes)
            default: throw cursor.unknown()
            }
        }
        self.init(
            id: id, title: title, note: note, tags: tags, priority: priority, due: due, created: created, completed: completed)
    }
}

extension PlacedTodo: CanonicalCodable {
    /// Fields: 1 todo, 2 index.
    public func encode(into writer: inout CanonicalWriter) {
        writer.message(1, todo)
        writer.field(2, UInt64(clamping: index))
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        var todo: Todo?
        var index = 0
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1: todo = try cursor.singleMessage(bytes)
            case 2: index = try cursor.index(of: try cursor.uint(bytes))
            default: throw cursor.unknown()
            }
        }
        guard let todo else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        self.init(todo, at: index)
    }
}

extension TodoChanges: CanonicalCodable {
    /// Fields, each only if it is set: 2 title, 3 note, 4 tags (a message with the list 1), 5 priority, 6 due (`Due.bits`, 0 to clear it).
    ///
    /// The numbers are those of the todo's fields; 1 is the id, which the edit writes before.
    public func encode(into writer: inout CanonicalWriter) {
        if let title { writer.element(2, title) }
        if let note { writer.element(3, note) }
        if let tags {
            writer.message(4) { writer in
                for tag in tags { writer.element(1, tag) }
            }
        }
        if let priority { writer.element(5, UInt64(priority.rawValue)) }
        switch due {
        case .set(let due): writer.element(6, due.bits)
        case .clear: writer.element(6, 0 as UInt64)
        case nil: break
        }
    }

    /// Reads what `encode` wrote.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        while let number = try cursor.nextField(in: bytes) { try read(number, bytes, &cursor) }
    }

    mutating func read(_ number: UInt32, _ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        switch number {
        case 2: title = try cursor.textOrEmpty(bytes)
        case 3: note = try cursor.textOrEmpty(bytes)
        case 4:
            var tags: [String] = []
            var inner = try cursor.enterSingle(bytes)
            while let number = try inner.nextField(in: bytes) {
                guard number == 1 else { throw inner.unknown() }
                tags.append(try inner.textElement(bytes))
            }
            self.tags = tags
        case 5: priority = try cursor.priority(of: try cursor.uintOrZero(bytes))
        case 6:
            let bits = try cursor.uintOrZero(bytes)
            due = bits == 0 ? .clear : .set(try cursor.due(of: bits))
        default: throw cursor.unknown()
        }
    }
}

extension CanonicalCursor {
    mutating func id(_ bytes: RawSpan) throws(CanonicalError) -> UInt64 { try id(of: try uint(bytes)) }

    func id(of number: UInt64) throws(CanonicalError) -> UInt64 {
        guard Todos.Limits.ids.contains(number) else { throw CanonicalError(.notCanonical, at: offset) }
        return number
    }

    func index(of number: UInt64) throws(CanonicalError) -> Int {
        guard let index = Int(exactly: number) else { throw CanonicalError(.notCanonical, at: offset) }
        return index
    }

    func priority(of number: UInt64) throws(CanonicalError) -> Priority {
        guard let priority = UInt8(exactly: number).flatMap(Priority.init) else {
            throw CanonicalError(.notCanonical, at: offset)
        }
        return priority
    }

    func due(of number: UInt64) throws(CanonicalError) -> Due {
        guard let due = Due(bits: number) else { throw CanonicalError(.notCanonical, at: offset) }
        return due
    }
}
