public import PersistentCollections
public import Reducing

extension Conflict {
    /// What a row of a list that was changed since stands in the way with: each field that differs, or the whole row.
    public static func of<Element: ValueConvertible>(_ row: RowConflict<Element>, in list: String) -> [Conflict] {
        switch row {
        case .contents(let id, let expected?, let found?):
            let path = "\(list)[\(id)]"
            let (left, right) = (expected.value, found.value)
            var names: [String] = []
            for name in left.fieldNames + right.fieldNames where !names.contains(name) { names.append(name) }
            let fields = names.compactMap { name -> Conflict? in
                let (expected, found) = (left[name], right[name])
                return expected == found ? nil : Conflict(path + "." + name, expected: expected, found: found)
            }
            return fields.isEmpty ? [Conflict(path, expected: left, found: right)] : fields
        case .contents(let id, let expected, let found):
            return [Conflict("\(list)[\(id)]", expected: expected?.value, found: found?.value)]
        case .place(let id, let expected, let found):
            let index = { (index: Int) -> Value in ["index": .int(Int64(index))] }
            return [Conflict("\(list)[\(id)]", expected: index(expected), found: index(found))]
        }
    }
}

extension Value {
    fileprivate var fieldNames: [String] { if case .record(let fields) = self { fields.map(\.name) } else { [] } }
}
