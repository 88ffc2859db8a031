import Chronicle
import TestSupport
import Testing

/// Two tables that assign IDs, and one with external IDs.
private struct Tables: FieldCoding {
    var lines = OrderedTable<Line>()
    var nextLine: UInt64 = 1
    var given = OrderedTable<Line>()
    var people = OrderedTable<Line>()
    var nextPerson: UInt64 = 1

    mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.rows(1, "lines", &lines)
        try visitor.nextID(2, "nextLine", &nextLine)
        try visitor.rows(3, "given", &given)
        try visitor.rows(4, "people", &people)
        try visitor.nextID(5, "nextPerson", &nextPerson)
    }
}

@Suite struct TwoTablesTests {
    private var tables: Tables {
        var tables = Tables()
        for id in [3, 10] as [UInt64] { tables.lines.append(Line(id: id, text: "a"), id: id) }
        tables.nextLine = 12
        tables.given.append(Line(id: 900, text: "b"), id: 900)
        tables.people.append(Line(id: 2, text: "c"), id: 2)
        tables.nextPerson = 3
        return tables
    }

    @Test func `tables with separate IDs decode from their bytes and their values`() throws {
        #expect(try Tables(canonical: tables.canonicalBytes) == tables)
        #expect(try Tables(tables.value) == tables)
    }

    @Test func `an ID at or above the next ID is refused in each table`() {
        var wrong = tables
        wrong.nextPerson = 2
        #expect(throws: CanonicalError.self) { try Tables(canonical: wrong.canonicalBytes) }
        #expect(throws: ValueMismatch.self) { try Tables(wrong.value) }
    }

    @Test func `a missing next ID defaults to one above the highest ID of its table`() throws {
        guard case .record(let fields) = tables.value else { return }
        let read = try Tables(.record(fields.filter { $0.name != "nextPerson" }))
        #expect(read.nextPerson == 3 && read.nextLine == 12)
    }
}
