public import Fields

/// A star button.
public struct Star: Sendable, Equatable {
    /// What a button shows, and what it then does.
    public enum Phase: UInt64, Sendable, Equatable, CaseIterable {
        /// Without a star.
        case unstar = 0
        /// About to get its star.
        case staring = 1
        /// With a star.
        case star = 2
        /// About to lose its star.
        case unstaring = 3

        /// Its name on the wire.
        public var name: String {
            switch self {
            case .unstar: "unstar"
            case .staring: "staring"
            case .star: "star"
            case .unstaring: "unstaring"
            }
        }

        /// Whether a request is under way, so that the button can't be pressed.
        public var isTransition: Bool { self == .staring || self == .unstaring }
    }

    /// What it shows.
    public var phase: Phase
    /// How many stars there are, from 0 to 2^53 - 1; it changes only when a request has succeeded.
    public var starCount: Int64

    /// Makes a star button; it begins without a star.
    public init(_ phase: Phase, starCount: Int64 = 0) {
        self.phase = phase
        self.starCount = starCount
    }
}

/// By its name, and in the log by its number.
extension Star.Phase: Field {
    /// A text.
    public static var shape: Shape { .text }
    /// Whether it is without a star.
    public var isInitial: Bool { self == .unstar }
    /// Its name.
    public var value: Value { .text(name) }

    /// Reads a name.
    public init(_ value: Value) throws(ValueMismatch) {
        let name = try String(value)
        guard let phase = Self.allCases.first(where: { $0.name.hasSameBytes(as: name) }) else {
            throw ValueMismatch("", "one of unstar, staring, star and unstaring is expected")
        }
        self = phase
    }

    /// The number.
    public func write(_ number: UInt32, into writer: inout CanonicalWriter) { writer.element(number, rawValue) }

    /// Reads a number.
    public static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> Self {
        guard let phase = Self(rawValue: try cursor.uintElement(bytes)) else {
            throw CanonicalError(.notCanonical, at: cursor.offset)
        }
        return phase
    }
}

extension Star: Fielded {
    /// Makes a button as all begin.
    public init() { self.init(.unstar) }

    /// Its fields; the number 1 is that of the id under which it stands.
    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(2, "phase", &phase, .shown)
        var count = Count(starCount)
        try visitor.field(3, "starCount", &count, .shown)
        starCount = count.number
    }
}

/// The id of a button: in the log one that `Stars.Limits` allows, on the wire any, which `prepare` then refuses.
struct StarID: Field, Equatable {
    @Exact var text: String

    init(_ text: String) { self.text = text }

    static var shape: Shape { .text }
    var isInitial: Bool { text.utf8.isEmpty }
    var value: Value { .text(text) }

    init(_ value: Value) throws(ValueMismatch) { self.init(try String(value)) }

    func write(_ number: UInt32, into writer: inout CanonicalWriter) { text.write(number, into: &writer) }

    static func readAny(_ bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) -> StarID {
        let id = StarID(try String.readAny(bytes, &cursor))
        guard Stars.Limits.allows(id: id.text) else { throw CanonicalError(.notCanonical, at: cursor.offset) }
        return id
    }
}

extension FieldVisitor {
    /// Chooses a case and shows the id of its button.
    mutating func choose(_ number: UInt32, _ name: String, button id: String) throws(Failure) -> String {
        choose(number, name)
        var button = StarID(id)
        try field(1, "id", &button, .needed)
        return button.text
    }
}
