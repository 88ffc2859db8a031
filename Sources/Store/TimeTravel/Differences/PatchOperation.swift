public import Chronicle

/// One operation of a JSON patch (RFC 6902) on the JSON form of a state.
public struct PatchOperation: Sendable, Equatable {
    public enum Kind: String, Sendable {
        /// Adds a value.
        case add
        /// Removes a value.
        case remove
        /// Replaces a value.
        case replace
        /// Moves a value.
        case move
    }

    public var kind: Kind
    /// The target, as a JSON pointer (RFC 6901): `/todos/items/3/title`.
    public var path: String
    /// The source of a move.
    public var from: String?
    /// The added or replacing value.
    public var new: Value?

    public init(_ kind: Kind, _ path: String, from: String? = nil, new: Value? = nil) {
        self.kind = kind
        self.path = path
        self.from = from
        self.new = new
    }

    /// The JSON form of the operation: `{op, path, from, value}`.
    public var value: Value {
        var fields: [Value.Field] = [.init("op", .text(kind.rawValue)), .init("path", .text(path))]
        if let from { fields.append(.init("from", .text(from))) }
        if let new { fields.append(.init("value", new)) }
        return .record(fields)
    }

    /// Converts a diff to patch operations, which turn the JSON form of the first state into that of the second.
    public static func operations(of changes: [Change]) -> [PatchOperation] {
        changes.flatMap { change in
            let list = pointer(change.path.split(separator: "."))
            let place = change.at.map { "\(list)/\($0)" } ?? list
            switch change.kind {
            case .insert: return [PatchOperation(.add, place, new: change.new ?? .null)]
            case .remove: return [PatchOperation(.remove, place)]
            case .move: return [PatchOperation(.move, place, from: change.from.map { "\(list)/\($0)" } ?? list)]
            case .replace: return differences(place, change.old, change.new)
            case .set:
                guard let name = (Change.field(change.new) ?? Change.field(change.old))?.name else { return [] }
                let (old, new) = change.values
                return field("\(list)/\(escaped(name))", old, new)
            }
        }
    }

    // A changed element: field by field, if both values are records.
    private static func differences(_ path: String, _ old: Value?, _ new: Value?) -> [PatchOperation] {
        guard case .record(let before)? = old, case .record(let after)? = new else {
            return [PatchOperation(.replace, path, new: new ?? .null)]
        }
        var operations: [PatchOperation] = []
        for field in before where new?[field.name] == nil {
            operations.append(PatchOperation(.remove, "\(path)/\(escaped(field.name))"))
        }
        for field in after where old?[field.name] != field.value {
            operations += Self.field("\(path)/\(escaped(field.name))", old?[field.name], field.value)
        }
        return operations
    }

    private static func field(_ path: String, _ old: Value?, _ new: Value?) -> [PatchOperation] {
        switch (old, new) {
        case (nil, let new?): [PatchOperation(.add, path, new: new)]
        case (_?, nil): [PatchOperation(.remove, path)]
        case (_?, let new?): [PatchOperation(.replace, path, new: new)]
        case (nil, nil): []
        }
    }

    private static func pointer(_ names: [Substring]) -> String { names.reduce("") { $0 + "/" + escaped(String($1)) } }

    // RFC 6901, section 3.
    private static func escaped(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
