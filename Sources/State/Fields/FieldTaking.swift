import PersistentCollections
public import Reducing
import Values

extension Feature where State: Fielded {
    /// A field, an element of a list that has ids, or a field of one; no id that is handed out next, and nothing within another field.
    public static func restored(_ place: [PlaceStep], in present: State, from past: State) -> State? {
        present.restored(place, from: past)
    }
}

extension Fielded {
    /// The same value in which one place is as it is in another: a field, an element of a list that has ids, or a field of one; `nil` where
    /// there is no such place.
    public func restored(_ place: [PlaceStep], from past: Self) -> Self? {
        if place.isEmpty { return past }
        var (taker, restored) = (FieldTaker(place: place, other: past), self)
        restored.visit(&taker)
        return taker.hasTaken ? restored : nil
    }
}

/// Makes one place what it is in another value.
private struct FieldTaker<Subject: Fielded>: FieldVisitor {
    let place: [PlaceStep]
    let other: Subject
    /// Whether there is such a place.
    private(set) var hasTaken = false

    mutating func field<Part: Field>(
        _ number: UInt32, _ name: String, _ part: inout Part, _ presence: FieldPresence, undone rule: UndoRule
    ) {
        guard let rest = rest(behind: name), rest.isEmpty else { return }
        part = other.field(number, like: part)
        hasTaken = true
    }

    mutating func rows<Row: FieldedRow>(
        _ number: UInt32, _ name: String, _ table: inout OrderedTable<Row>, undone rule: RowUndoRule
    ) {
        guard let rest = rest(behind: name) else { return }
        let past = other.field(number, like: table)
        guard let step = rest.first else {
            table = past
            hasTaken = true
            return
        }
        guard case .id(let id) = step else { return }
        let fields = Array(rest.dropFirst())
        hasTaken = fields.isEmpty ? Self.take(id, into: &table, from: past) : Self.take(fields, of: id, into: &table, from: past)
    }

    mutating func child<Child: Feature>(
        _ number: UInt32, _ name: String, _ feature: Child.Type, _ state: inout Child.State
    ) where Child.State: Fielded {
        guard let rest = rest(behind: name) else { return }
        let past = other.field(number, like: state)
        guard let restored = rest.isEmpty ? past : Child.restored(rest, in: state, from: past) else { return }
        if restored != state { state = restored }
        hasTaken = true
    }

    private func rest(behind name: String) -> [PlaceStep]? {
        guard case .name(let wanted)? = place.first, wanted.hasSameBytes(as: name) else { return nil }
        return Array(place.dropFirst())
    }

    /// A row that is in both stays where it is.
    private static func take<Row: FieldedRow>(
        _ id: UInt64, into table: inout OrderedTable<Row>, from past: OrderedTable<Row>
    ) -> Bool {
        switch (table[id], past[id], past.index(of: id)) {
        case (nil, nil, _): return false
        case (_?, let row?, _): table.update(id) { $0 = row }
        case (nil, let row?, let index): table.insert(row, id: id, at: min(index ?? table.count, table.count))
        case (_?, nil, _): table.remove(id)
        }
        return true
    }

    private static func take<Row: FieldedRow>(
        _ fields: [PlaceStep], of id: UInt64, into table: inout OrderedTable<Row>, from past: OrderedTable<Row>
    ) -> Bool {
        guard var row = table[id], let old = past[id] else { return false }
        var taker = FieldTaker<Row>(place: fields, other: old)
        row.visit(&taker)
        if taker.hasTaken { table.update(id) { $0 = row } }
        return taker.hasTaken
    }
}
