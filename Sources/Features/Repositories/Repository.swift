public import Reducing

/// A repository as a source lists it.
public struct Repository: Sendable {
    /// The source's own number of it, from 1 to 2^53 - 2.
    public var id: UInt64
    /// The owner and the name: `apple/swift`.
    public var fullName: String
    /// What it is, in a sentence or two; empty if it doesn't say.
    public var description: String
    /// Where its page is; empty if it has none that may be opened.
    public var url: String
    /// How many people starred it, from 0 to 2^53 - 1.
    public var stars: Int64

    /// The most stars that are counted: what every client's JSON keeps exact.
    public static let starsMax = Int64.exactMax

    /// Makes a repository.
    public init(id: UInt64, fullName: String, description: String = "", url: String = "", stars: Int64 = 0) {
        self.id = id
        self.fullName = fullName
        self.description = description
        self.url = url
        self.stars = stars
    }
}

extension Repository: Identifiable {}

extension Repository: Equatable {
    /// Compares everything, texts by their bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.id == right.id && left.stars == right.stars && left.fullName.hasSameBytes(as: right.fullName)
            && left.description.hasSameBytes(as: right.description) && left.url.hasSameBytes(as: right.url)
    }
}

extension Repository: ValueConvertible {
    /// By name; an empty description, no page and no stars are left out.
    public var value: Value {
        var fields: [Value.Field] = [.init("id", .int(Int64(clamping: id))), .init("fullName", .text(fullName))]
        if !description.utf8.isEmpty { fields.append(.init("description", .text(description))) }
        if !url.utf8.isEmpty { fields.append(.init("url", .text(url))) }
        if stars != 0 { fields.append(.init("stars", .int(stars))) }
        return .record(fields)
    }

    /// Reads a repository by name; the id and the full name must be there.
    public init(_ value: Value) throws(ValueMismatch) {
        var record = try RecordReader(value)
        self.init(
            id: try record.required("id", as: ElementID.self).number, fullName: try record.required("fullName"),
            description: try record.optional("description") ?? "", url: try record.optional("url") ?? "",
            stars: try record.optional("stars") ?? 0)
        guard stars >= 0 else { throw ValueMismatch("stars", "a whole number from 0 is expected") }
        try record.end()
    }
}
