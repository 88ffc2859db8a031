public import Fields

/// A repository as a source lists it.
public struct Repository: FieldedRow {
    /// The source's own number of it, from 1 to 2^53 - 2.
    public var id: UInt64
    /// The owner and the name: `apple/swift`.
    @Exact public var fullName: String
    /// What it is, in a sentence or two; empty if it doesn't say.
    @Exact public var description: String
    /// Where its page is; empty if it has none that may be opened.
    @Exact public var url: String
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

    /// Makes one without an id and a name.
    public init() { self.init(id: 0, fullName: "") }

    /// Its fields.
    public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.field(1, "id", &id, .needed)
        try visitor.field(2, "fullName", &fullName, .required)
        try visitor.field(3, "description", &description)
        try visitor.field(4, "url", &url)
        var count = Count(stars)
        try visitor.field(5, "stars", &count)
        stars = count.number
    }
}
