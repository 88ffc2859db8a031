public import Fields

/// Star buttons in the order of their ids' bytes; by name, each stands under its id.
public struct StarItems: Field, Equatable {
    /// A star button with its id.
    public struct Entry: Fielded {
        private var button = StarID("")
        /// The button.
        public private(set) var star: Star

        /// Its id.
        public var id: String { button.text }

        init(id: String, star: Star) {
            button = StarID(id)
            self.star = star
        }

        /// Makes one without an id.
        public init() { self.init(id: "", star: Star()) }

        /// Its fields, those of the button behind the id.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.field(1, "id", &button, .needed)
            try star.visit(&visitor)
        }
    }

    private(set) var entries: [Entry] = []

    init() {}

    subscript(id: String) -> Star {
        get {
            let place = place(of: id)
            return place.isTaken ? entries[place.index].star : Star()
        }
        set {
            let place = place(of: id)
            let range = place.index..<place.index + (place.isTaken ? 1 : 0)
            entries.replaceSubrange(range, with: newValue == Star() ? [] : [Entry(id: id, star: newValue)])
        }
    }

    /// Adds a button behind all others; false if its id's bytes don't come after theirs, or it stands as it began.
    mutating func append(_ entry: Entry) -> Bool {
        if let last = entries.last, !last.id.utf8.lexicographicallyPrecedes(entry.id.utf8) { return false }
        guard entry.star != Star() else { return false }
        entries.append(entry)
        return true
    }

    func contains(_ id: String) -> Bool { place(of: id).isTaken }

    /// Where an id stands, or would stand.
    private func place(of id: String) -> (index: Int, isTaken: Bool) {
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

    /// Buttons under their ids.
    public static var shape: Shape { .map(Star.shape) }
    /// Each button has the number.
    public static var isRepeated: Bool { true }
    /// Whether all buttons stand as they began.
    public var isInitial: Bool { entries.isEmpty }
    /// Each button under its id.
    public var value: Value { .record(entries.map { Value.Field($0.id, $0.star.value) }) }

    /// Reads buttons, each under its id, in any order.
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

    /// All buttons.
    public func write(_ number: UInt32, into writer: inout CanonicalWriter) {
        for entry in entries { writer.message(number, entry) }
    }

    /// Reads one button.
    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> StarItems {
        var items = StarItems()
        try items.take(bytes, &cursor)
        return items
    }

    /// Reads the next button; ids that are out of order, and buttons that stand as they began, are errors.
    public mutating func take(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        guard append(try cursor.message(bytes)) else { throw CanonicalError(.notCanonical, at: cursor.offset) }
    }
}
