import Chronicle
import ChronicleStore
import Expressions

/// Diff of two states at a small part of them, without comparing the rest.
struct PartDifference<App: Feature> {
    private enum Part {
        /// A field outside of lists, and the path of its record.
        case field(String, of: [String])
        case element(Int64, of: [String])
    }

    private let part: Part
    private let states: (old: App.State, new: App.State)

    /// `nil` for a path that contains lists, or in a part without lists, whose diff is small anyway.
    init?(from old: App.State, to new: App.State, at path: Path) {
        states = (old, new)
        let lists = App.lists(of: new).map { $0.path.split(separator: ".").map(String.init) }
        let names = path.names
        if let list = lists.first(where: { path.steps.count > $0.count && Self.leads($0, to: names) }) {
            guard case .id(let id) = path.steps[list.count] else { return nil }
            part = .element(id, of: list)
            return
        }
        if PlaceWatch<App>.holdsLists(names, new) { return nil }
        let depth = lists.map { list in zip(list, names).prefix { $0.hasSameBytes(as: $1) }.count }.max() ?? 0
        guard depth > 0, depth < names.count else { return nil }
        part = .field(names[depth], of: Array(names.prefix(depth)))
    }

    private static func leads(_ names: [String], to others: [String]) -> Bool {
        names.count <= others.count && zip(names, others).allSatisfy { $0.hasSameBytes(as: $1) }
    }

    /// The change, if any; `pause` is called between pieces of work.
    func changes(pausing pause: () async throws(StoreError) -> Void) async throws(StoreError) -> [Change] {
        switch part {
        case .field(let name, let record):
            let (old, new) = (value(name, of: record, in: states.old), value(name, of: record, in: states.new))
            if old == new { return [] }
            let field = { (value: Value?) in value.map { Value.record([Value.Field(name, $0)]) } }
            return [Change(path: record.joined(separator: "."), kind: .set, old: field(old), new: field(new))]
        case .element(let id, let list):
            let old = try await find(id, in: list, of: states.old, pausing: pause)
            let new = try await find(id, in: list, of: states.new, pausing: pause)
            if old?.element == new?.element { return [] }
            let kind: Change.Kind = old == nil ? .insert : new == nil ? .remove : .replace
            return [
                Change(
                    path: list.joined(separator: "."), kind: kind, id: id, at: (new ?? old)?.index, old: old?.element,
                    new: new?.element)
            ]
        }
    }

    private func value(_ name: String, of record: [String], in state: App.State) -> Value? {
        var reader = StateReading<App>(state)
        return reader.value(at: record + [name])
    }

    private func find(
        _ id: Int64, in list: [String], of state: App.State, pausing pause: () async throws(StoreError) -> Void
    ) async throws(StoreError) -> (element: Value, index: Int)? {
        var reader = StateReading<App>(state)
        guard let view = reader.list(along: list)?.view else { return nil }
        if let find = view.find, find(id) == nil { return nil }
        for start in stride(from: 0, to: view.count, by: ExpressionLimits.pageElementsMax) {
            let page = view.elements(start..<min(view.count, start + ExpressionLimits.pageElementsMax))
            if let index = page.firstIndex(where: { $0.part(.name("id")) == .int(id) }) { return (page[index], start + index) }
            try await pause()
        }
        return nil
    }
}
