public import Chronicle

/// Star buttons sorted by the bytes of their IDs; represented as an object with the IDs as keys.
public struct StarItems: Field, Equatable {
    private(set) var entries: [Entry] = []

    public init() {}

    subscript(id: String) -> Star {
        get {
            let slot = slot(of: id)
            return slot.isTaken ? entries[slot.index].star : Star()
        }
        set {
            let slot = slot(of: id)
            let range = slot.index..<slot.index + (slot.isTaken ? 1 : 0)
            entries.replaceSubrange(range, with: newValue == Star() ? [] : [Entry(id: id, star: newValue)])
        }
    }

    /// Appends a button; returns false if its ID is not in ascending order or the button has its initial state.
    mutating func append(_ entry: Entry) -> Bool {
        if let last = entries.last, !last.id.utf8.lexicographicallyPrecedes(entry.id.utf8) { return false }
        guard entry.star != Star() else { return false }
        entries.append(entry)
        return true
    }

    func contains(_ id: String) -> Bool { slot(of: id).isTaken }

    /// Returns the index of an ID, or the index at which it would be inserted.
    private func slot(of id: String) -> (index: Int, isTaken: Bool) {
        var range = entries.startIndex..<entries.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if entries[middle].id.utf8.lexicographicallyPrecedes(id.utf8) {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        let index = range.lowerBound
        return (index, index < entries.endIndex && entries[index].id.hasSameBytes(as: id))
    }

    public static var shape: Shape { .map(Star.shape) }
    public static var isRepeated: Bool { true }
    public var isInitial: Bool { entries.isEmpty }
    public var value: Value { .record(entries.map { Value.Field($0.id, $0.star.value) }) }

    /// Parses an object of buttons in any order.
    public init(_ value: Value) throws(ValueMismatch) {
        guard case .record(let fields) = value else { throw ValueMismatch("", "an object is expected") }
        for field in fields where field.value != .null {
            do throws(ValueMismatch) { try read(field) } catch { throw error.under(field.name) }
        }
        guard entries.count <= Stars.Limits.starsMax else {
            throw ValueMismatch("", "at most \(Stars.Limits.starsMax) stars are expected")
        }
    }

    private mutating func read(_ field: Value.Field) throws(ValueMismatch) {
        guard Stars.Limits.allows(id: field.name) else {
            throw ValueMismatch("", "an id of 1 to \(Stars.Limits.idBytesMax) bytes is expected")
        }
        guard !contains(field.name) else { throw ValueMismatch("", "this id is taken") }
        self[field.name] = try Star(field.value)
    }

    public func write(_ number: UInt32, into writer: inout CanonicalWriter) {
        for entry in entries { writer.message(number, entry) }
    }

    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> StarItems {
        var items = StarItems()
        try items.take(bytes, &cursor)
        return items
    }

    /// Reads the next button; throws if its ID is not in ascending order or the button has its initial state.
    public mutating func take(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        guard append(try cursor.message(bytes)) else { throw CanonicalError(.notCanonical, at: cursor.offset) }
    }
}

extension Star.Phase {
    public var isTransition: Bool { self == .staring || self == .unstaring }
}

/// The ID of a button; `prepare` refuses an invalid one, so the log contains only IDs that `Stars.Limits` allows.
struct StarID: Field, Equatable {
    @ByteEqual var content: String

    init(_ content: String) { self.content = content }
    static var shape: Shape { .text }
    var isInitial: Bool { content.utf8.isEmpty }
    var value: Value { .text(content) }
    init(_ value: Value) throws(ValueMismatch) { self.init(try String(value)) }
    func write(_ number: UInt32, into writer: inout CanonicalWriter) { content.write(number, into: &writer) }

    static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> StarID {
        let id = StarID(try String.readAny(bytes, &cursor))
        guard Stars.Limits.allows(id: id.content) else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        return id
    }
}

extension Stars.State {
    public var entries: [StarItems.Entry] { items.entries }

    /// The last one of several buttons with the same ID applies; invalid IDs are dropped.
    public init(items: KeyValuePairs<String, Star>) {
        self.init()
        for (id, star) in items { self[id] = star }
    }

    /// The button of an ID, initially unpressed; setting an invalid ID changes nothing.
    public subscript(id: String) -> Star {
        get { items[id] }
        set { if Stars.Limits.allows(id: id) { items[id] = newValue } }
    }

    func contains(_ id: String) -> Bool { items.contains(id) }
}
