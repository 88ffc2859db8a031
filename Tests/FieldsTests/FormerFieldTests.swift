import Fields
import Reducing
import Testing
import Values

/// A person, as three versions wrote them.
private enum Versions {
    /// Of the first, with one name and an age in years.
    struct First: Fielded {
        @Exact var name = ""
        var age: Int64 = 0

        mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.field(1, "name", &name)
            try visitor.field(2, "age", &age)
        }
    }

    /// Of the second, in which the field of the name is called otherwise.
    struct Second: Fielded {
        @Exact var fullName = ""
        var age: Int64 = 0

        mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            visitor.renamed(from: "name")
            try visitor.field(1, "fullName", &fullName, .required)
            try visitor.field(2, "age", &age)
        }
    }

    /// Of the third, in which the name became two and the age months.
    struct Third: Fielded {
        var months: Int64 = 0
        @Exact var given = ""
        @Exact var family = ""

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

/// An action that had one form and has another.
private enum Renaming: Cased {
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

    static func blank(_ number: UInt32) -> Self? { number == 1 ? .rename(given: "", family: "") : nil }
}

@Suite struct FormerFieldTests {
    private let first = Versions.First(name: "Ada Lovelace", age: 36)

    @Test func `a field with another name is read by both names, and its bytes stay what they were`() throws {
        let second = try Versions.Second(canonical: first.canonicalBytes)
        #expect(second.fullName == "Ada Lovelace" && second.canonicalBytes == first.canonicalBytes)
        #expect(try Versions.Second(first.value) == second)
        #expect(try Versions.Second(second.value) == second && second.value["name"] == nil)
        #expect(throws: ValueMismatch.self) { try Versions.Second(["name": "Ada", "fullName": "Grace"]) }
    }

    @Test func `a field that became two, and one in another unit, are read from every older form and written in the newest`()
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

    @Test func `what is unknown, or twice there, is refused as before`() throws {
        #expect(throws: CanonicalError.self) { try Versions.Third(canonical: first.canonicalBytes + first.canonicalBytes) }
        #expect(throws: ValueMismatch.self) { try Versions.Third(["nickname": "Ada"]) }
        // An initial value is left out by whoever wrote it.
        #expect(throws: CanonicalError.self) { try Versions.Third(canonical: [0x08, 0x00]) }
    }

    @Test func `actions of a log are read in their older form, too`() throws {
        var writer = CanonicalWriter()
        writer.message(1) { $0.field(1, "Ada Lovelace") }
        let action = try Renaming(canonical: writer.bytes)
        #expect(action == .rename(given: "Ada", family: "Lovelace"))
        #expect(try Renaming(canonical: action.canonicalBytes) == action && action.canonicalBytes != writer.bytes)
        #expect(try Renaming(["rename": ["name": "Ada Lovelace"]]) == action)
    }

    @Test func `former fields are no part of what a value looks like`() {
        guard case .record(let fields) = Versions.Third.shape else {
            Issue.record("a value with fields looks like a record")
            return
        }
        #expect(fields.map(\.name) == ["months", "given", "family"])
        #expect(Versions.Third.scopeNames == ["months", "given", "family"])
    }
}
