import ChronicleValues

extension FieldCoding {
    /// Reverts the change from `before` to `after` in this value, each field as its rule says.
    public func reverted(from after: Self, to before: Self) -> RevertResult<Self> {
        var (visitor, copy) = (FieldUndoer(after: after, before: before), self)
        copy.visit(&visitor)
        return RevertResult(copy, conflicts: visitor.conflicts)
    }

    /// This value with one place from another value: a field, an element of a list that has ids, or a field of one.
    ///
    /// `nil` if there is no such place. The next id and places within other fields can't be restored.
    public func restored(_ place: [PlaceStep], from past: Self) -> Self? {
        if place.isEmpty { return past }
        var (restorer, restored) = (FieldRestorer(place: place, past: past), self)
        restored.visit(&restorer)
        return restorer.hasRestored ? restored : nil
    }
}

private struct FieldUndoer<Subject: FieldCoding>: FieldVisitor {
    let after: Subject
    let before: Subject
    private(set) var conflicts: [Conflict] = []

    mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        let (after, before) = (after.field(field, like: part), before.field(field, like: part))
        if field.undo == .never || after.isSame(as: before) { return }
        if field.undo == .byDifference, let sum = Self.sum(part, minus: after, plus: before) {
            part = sum
            return
        }
        if part.isSame(as: before) { return }
        if !part.isSame(as: after) {
            if field.undo == .ifUntouched { return }
            conflicts.append(Conflict(field.name, expected: after.value, found: part.value))
        }
        part = before
    }

    mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) {
        let (after, before) = (after.field(field, like: table), before.field(field, like: table))
        // The rules of these fields also hold for a row that has not changed since.
        let mergesAll = Schema(of: Row()).fields.contains { [.never, .byDifference].contains($0.info.undo) }
        let changed = table.revert(from: after, to: before, mergesAll: mergesAll) { found, after, before in
            let merged = found.reverted(from: after, to: before)
            conflicts += merged.conflicts.map { conflict in
                Conflict("\(field.name)[\(found.id)].\(conflict.path)", expected: conflict.expected, found: conflict.found)
            }
            return merged.state
        }
        conflicts += changed.flatMap { Conflict.of($0, in: field.name) }
    }

    private static func sum<Part: Field>(_ found: Part, minus after: Part, plus before: Part) -> Part? {
        guard let found = found as? Int64, let after = after as? Int64, let before = before as? Int64 else { return nil }
        return found.addingExactly(before &- after) as? Part
    }

    // Ids in use stay in use.
    mutating func nextID(_ field: FieldInfo, _ next: inout UInt64) {}

    mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) {
        let (after, before) = (after.field(field, like: state), before.field(field, like: state))
        if Child.changedScopes(from: after, to: before).isEmpty { return }
        let reverted = Child.reverted(state, from: after, to: before)
        if reverted.state != state { state = reverted.state }
        conflicts += reverted.conflicts.map { $0.under(field.name) }
    }
}

extension Conflict {
    /// The conflicts of a row that was not merged: each field that has changed since, or the whole row.
    fileprivate static func of<Row: TableRow>(_ row: RowConflict<Row>, in list: String) -> [Conflict] {
        switch row {
        // An undone edit was merged field by field. An undone addition removes all fields.
        case .contents(_, _?, _?, _?): return []
        case .contents(let id, nil, let after?, let found?):
            let (after, found) = (after.value, found.value)
            return Schema(of: Row()).fields.compactMap { field -> Conflict? in
                let (expected, now) = (after[field.name], found[field.name])
                if [.never, .ifUntouched].contains(field.info.undo) || now == expected { return nil }
                return Conflict("\(list)[\(id)].\(field.name)", expected: expected, found: now)
            }
        case .contents(let id, _, let after, let found):
            return [Conflict("\(list)[\(id)]", expected: after?.value, found: found?.value)]
        case .place(let id, let expected, let found):
            let index = { (index: Int) -> Value in ["index": .int(Int64(index))] }
            return [Conflict("\(list)[\(id)]", expected: index(expected), found: index(found))]
        }
    }
}

private struct FieldRestorer<Subject: FieldCoding>: FieldVisitor {
    let place: [PlaceStep]
    let past: Subject
    private(set) var hasRestored = false

    mutating func field<Part: Field>(_ field: FieldInfo, _ part: inout Part) {
        guard let rest = rest(after: field), rest.isEmpty else { return }
        part = past.field(field, like: part)
        hasRestored = true
    }

    mutating func rows<Row: TableRow>(_ field: FieldInfo, _ table: inout OrderedTable<Row>) {
        guard let rest = rest(after: field) else { return }
        let past = past.field(field, like: table)
        switch rest.first {
        case .id(let id)?:
            let names = Array(rest.dropFirst())
            hasRestored =
                names.isEmpty ? Self.restore(id, in: &table, from: past) : Self.restore(names, of: id, in: &table, from: past)
        case .name?: return
        case nil:
            table = past
            hasRestored = true
        }
    }

    mutating func nextID(_ field: FieldInfo, _ next: inout UInt64) {}

    mutating func child<Child: Feature>(_ field: FieldInfo, _: Child.Type, _ state: inout Child.State) {
        guard let rest = rest(after: field) else { return }
        let past = past.field(field, like: state)
        guard let restored = rest.isEmpty ? past : Child.restored(rest, in: state, from: past) else { return }
        if restored != state { state = restored }
        hasRestored = true
    }

    private func rest(after field: FieldInfo) -> [PlaceStep]? {
        guard case .name(let wanted)? = place.first, wanted.hasSameBytes(as: field.name) else { return nil }
        return Array(place.dropFirst())
    }

    /// A row that is in both tables keeps its index.
    private static func restore<Row>(_ id: UInt64, in table: inout OrderedTable<Row>, from past: OrderedTable<Row>) -> Bool {
        switch (table[id], past[id], past.index(of: id)) {
        case (nil, nil, _): return false
        case (_?, let row?, _): table.update(id) { $0 = row }
        case (nil, let row?, let index): table.insert(row, id: id, at: min(index ?? table.count, table.count))
        case (_?, nil, _): table.remove(id)
        }
        return true
    }

    private static func restore<Row: TableRow>(
        _ names: [PlaceStep], of id: UInt64, in table: inout OrderedTable<Row>, from past: OrderedTable<Row>
    ) -> Bool {
        guard let row = table[id], let old = past[id], let restored = row.restored(names, from: old) else { return false }
        table.update(id) { $0 = restored }
        return true
    }
}
