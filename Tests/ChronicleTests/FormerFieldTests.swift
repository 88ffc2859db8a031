import Chronicle
import Testing

/// The fields of a person in three releases.
private enum Versions {
    /// One name and an age in years.
    struct First: FieldCoding {
        @ByteEqual var name = ""
        var age: Int64 = 0

        mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.field(1, "name", &name)
            try visitor.field(2, "age", &age)
        }
    }

    /// The name field is renamed.
    struct Second: FieldCoding {
        @ByteEqual var fullName = ""
        var age: Int64 = 0

        mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            visitor.renamed(from: "name")
            try visitor.field(1, "fullName", &fullName, .required)
            try visitor.field(2, "age", &age)
        }
    }

    /// The name is split in two, and the age is in months.
    struct Third: FieldCoding {
        var months: Int64 = 0
        @ByteEqual var given = ""
        @ByteEqual var family = ""

        mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            visitor.renamed(from: "name")
            try visitor.former(1, "fullName", String.self) { split($0) }
            try visitor.former(2, "age", Int64.self) { months = $0 * 12 }
            try visitor.field(3, "months", &months)
            try visitor.field(4, "given", &given)
            try visitor.field(5, "family", &family)
        }

        private mutating func split(_ name: String) {
            let parts = name.split(separator: " ", maxSplits: 1)
            (given, family) = (parts.first.map(String.init) ?? "", parts.count > 1 ? String(parts[1]) : "")
        }
    }
}

/// An action with a deprecated form.
private enum Renaming: CaseCoding {
    case rename(given: String, family: String)

    consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
        switch self {
        case .rename(var given, var family):
            visitor.choose(1, "rename")
            try visitor.former(1, "name", String.self) { name in
                (given, family) = (String(name.prefix { $0 != " " }), String(name.drop { $0 != " " }.dropFirst()))
            }
            try visitor.field(2, "given", &given)
            try visitor.field(3, "family", &family)
            return .rename(given: given, family: family)
        }
    }

    static func defaultInstance(_ number: UInt32) -> Self? { number == 1 ? .rename(given: "", family: "") : nil }
}

@Suite struct FormerFieldTests {
    private let first = Versions.First(name: "Ada Lovelace", age: 36)

    @Test func `a renamed field is read by both names and keeps its bytes`() throws {
        let second = try Versions.Second(canonical: first.canonicalBytes)
        #expect(second.fullName == "Ada Lovelace" && second.canonicalBytes == first.canonicalBytes)
        #expect(try Versions.Second(first.value) == second)
        #expect(try Versions.Second(second.value) == second && second.value["name"] == nil)
        #expect(throws: ValueMismatch.self) { try Versions.Second(["name": "Ada", "fullName": "Grace"]) }
    }

    @Test func `a split field and a field with a new unit are read from every older form and written in the newest`()
        throws
    {
        let second = try Versions.Second(canonical: first.canonicalBytes)
        for third in [
            try Versions.Third(canonical: first.canonicalBytes), try Versions.Third(canonical: second.canonicalBytes),
            try Versions.Third(first.value), try Versions.Third(second.value),
        ] {
            #expect(third == Versions.Third(months: 432, given: "Ada", family: "Lovelace"))
            #expect(try Versions.Third(canonical: third.canonicalBytes) == third && Versions.Third(third.value) == third)
            #expect(third.value["age"] == nil && third.value["months"] == 432)
        }
        #expect(throws: CanonicalError.self) { try Versions.First(canonical: Versions.Third(months: 1).canonicalBytes) }
    }

    @Test func `unknown, duplicate and non-canonical fields are still refused`() throws {
        #expect(throws: CanonicalError.self) { try Versions.Third(canonical: first.canonicalBytes + first.canonicalBytes) }
        #expect(throws: ValueMismatch.self) { try Versions.Third(["nickname": "Ada"]) }
        // An explicit default value is not canonical.
        #expect(throws: CanonicalError.self) { try Versions.Third(canonical: [0x08, 0x00]) }
    }

    @Test func `actions are read in their deprecated form`() throws {
        var writer = CanonicalWriter()
        writer.message(1) { $0.field(1, "Ada Lovelace") }
        let action = try Renaming(canonical: writer.bytes)
        #expect(action == .rename(given: "Ada", family: "Lovelace"))
        #expect(try Renaming(canonical: action.canonicalBytes) == action && action.canonicalBytes != writer.bytes)
        #expect(try Renaming(["rename": ["name": "Ada Lovelace"]]) == action)
    }

    @Test func `former fields are not part of the shape`() {
        guard case .record(let fields) = Versions.Third.shape else {
            Issue.record("the shape is not a record")
            return
        }
        #expect(fields.map(\.name) == ["months", "given", "family"])
        #expect(Versions.Third.scopeNames == ["months", "given", "family"])
    }
}
