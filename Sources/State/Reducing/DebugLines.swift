/// What an action changed, as lines for whoever looks for a mistake: `-` and what was, `+` and what is.
public enum DebugLines {
    /// More changes than these are not listed.
    public static let changesMax = 1_000

    /// The lines for some changes; `nil` stands for more than can be shown.
    public static func lines(of changes: [Change]?) -> [String] {
        guard let changes, changes.count <= changesMax else { return ["- more than can be shown", "+ more than can be shown"] }
        return changes.flatMap(\.debugLines)
    }
}

extension Change {
    fileprivate var debugLines: [String] {
        switch kind {
        case .set: fields("-", old) + fields("+", new)
        case .insert: ["+ \(place(at)) \(text(new))"]
        case .remove: ["- \(place(at)) \(text(old))"]
        case .replace: ["- \(place(at)) \(text(old))", "+ \(place(at)) \(text(new))"]
        case .move: ["- \(place(from)) id \(id ?? 0)", "+ \(place(at)) id \(id ?? 0)"]
        }
    }

    private func fields(_ sign: String, _ record: Value?) -> [String] {
        guard case .record(let fields)? = record else { return [] }
        return fields.map { "\(sign) \(path.isEmpty ? "" : path + ".")\($0.name): \(text($0.value))" }
    }

    private func place(_ index: Int?) -> String { "\(path)[\(index.map(String.init) ?? "?")]" }

    private func text(_ value: Value?) -> String { (value ?? .null).description }
}
