import Chronicle
import Testing

/// Detects by a weak reference whether a value still holds it.
private final class Token: Sendable, Equatable {
    static func == (left: Token, right: Token) -> Bool { left === right }
}

/// Fields whose `visit` assigns new storage for every visitor.
private struct Restless: TableRow {
    var id: UInt64
    var note: OutOfLine<Note>
    var token = Token()

    struct Note: StoredOutOfLine {
        var text = ""
        var token: Token?
    }

    init(id: UInt64, note: String) { (self.id, self.note) = (id, OutOfLine(Note(text: note, token: Token()))) }

    init() { self.init(id: 0, note: "") }

    mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        token = Token()
        try visitor.field(1, "id", &id)
        try note.visit(&visitor) { (note, visitor) throws(Visitor.Failure) in
            note.token = Token()
            note.text += "!"
            try visitor.field(2, "text", &note.text)
        }
    }
}

private struct List: FieldCoding {
    var rows = OrderedTable<Restless>()

    mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
        try visitor.rows(1, "rows", &rows)
    }
}

private enum Lists: Feature {
    typealias State = List
    typealias Action = NoAction

    static func reduce(_ state: inout List, _ action: NoAction, _ context: Context) -> [Never] { [] }
}

@Suite struct AssigningVisitTests {
    @Test func `reading a list whose rows assign in visit does not change the borrowed rows`() throws {
        var list = List()
        for id in 1...3 as ClosedRange<UInt64> { list.rows.append(Restless(id: id, note: "a note of the row"), id: id) }
        weak var token: Token?
        weak var noted: Token?
        do {
            let row = try #require(list.rows[2])
            token = row.token
            noted = row.note.content?.token
        }
        let columns = try #require(Lists.lists(of: list).first).columns(["id", "text"])
        for _ in 0..<2 {
            let shown = columns.values(0..<3)
            let expected: [Value] = (1...3).flatMap { [.int($0), "a note of the row!"] }
            #expect(shown == expected)
        }
        #expect(token != nil && noted != nil)
        #expect(list.rows[2]?.note.content?.text == "a note of the row")
    }

    @Test func `a visit of a value stored apart does not change its copies`() {
        let row = Restless(id: 1, note: "a note")
        let other = row
        _ = row.value
        _ = row.canonicalBytes
        var (columns, note) = (Names(), row.note)
        note.visit(&columns) { note, _ in note.text = "another" }
        #expect(other.note.content?.text == "a note" && row.note.content?.text == "a note")
    }
}

/// A visitor that changes nothing.
private struct Names: FieldVisitor {
    static var changesFields: Bool { false }
}
