public import Reducing

/// One operation of a JSON patch (RFC 6902) over the JSON form of a state.
public struct PatchOperation: Sendable, Equatable {
    public enum Kind: String, Sendable {
        /// A value comes to a place.
        case add
        /// A value leaves a place.
        case remove
        /// A place gets another value.
        case replace
        /// A value leaves a place and comes to another.
        case move
    }

    public var kind: Kind
    /// Where, as a JSON pointer (RFC 6901): `/todos/items/3/title`.
    public var path: String
    /// Where it comes from, of a move.
    public var from: String?
    /// The value that comes.
    public var new: Value?

    public init(_ kind: Kind, _ path: String, from: String? = nil, new: Value? = nil) {
        self.kind = kind
        self.path = path
        self.from = from
        self.new = new
    }

    /// The operation as JSON has it: `{op, path, from, value}`.
    public var value: Value {
        var fields: [Value.Field] = [.init("op", .text(kind.rawValue)), .init("path", .text(path))]
        if let from { fields.append(.init("from", .text(from))) }
        if let new { fields.append(.init("value", new)) }
        return .record(fields)
    }

    /// The operations that do what changes say, in their order.
    ///
    /// Those of all changes between two states, applied to the JSON form of the first, give that of the second.
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

    // An element that has other contents: field by field, where both are records.
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

    private static func pointer(_ names: [Substring]) -> String {
        names.reduce("") { $0 + "/" + escaped(String($1)) }
    }

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
