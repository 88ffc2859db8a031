public import Values
public import VarlinkInterfaces

extension InterfaceDescription {
    /// The first place at which values don't fit the fields that describe them, such as `actions[2].id`; nil when they fit.
    ///
    /// A value that is not there fits an optional field, a field that is not described fits nowhere.
    public func mismatch(of members: [Value.Field], with fields: [Field]) -> String? {
        var missing = fields.count
        for member in members {
            guard let field = fields.first(where: { $0.name == member.name }) else { return member.name }
            missing -= 1
            guard let path = mismatch(of: member.value, with: field.type) else { continue }
            // A name that nobody knows says more than a value that doesn't fit.
            return members.first { member in !fields.contains { $0.name == member.name } }?.name ?? field.name + path
        }
        if missing == 0 { return nil }
        return fields.first { !$0.isOptional && members[$0.name] == nil }?.name
    }

    /// What follows the name of the value in the path to the first mismatch: empty for the value itself.
    private func mismatch(of value: Value, with type: InterfaceType) -> String? {
        switch (type, value) {
        case (.bool, .bool), (.int, .int), (.float, .int), (.float, .double), (.string, .text), (.object, .record):
            return nil
        case (.optional(let wrapped), _):
            return value.isNull ? nil : mismatch(of: value, with: wrapped)
        case (.array(let element), .list(let values)):
            for (index, value) in values.enumerated() {
                if let path = mismatch(of: value, with: element) { return "[\(index)]" + path }
            }
            return nil
        case (.map(let element), .record(let members)):
            for member in members {
                if let path = mismatch(of: member.value, with: element) { return ".\(member.name)" + path }
            }
            return nil
        case (.structure(let fields), .record(let members)):
            return mismatch(of: members, with: fields).map { "." + $0 }
        case (.enumeration(let names), .text(let name)):
            return names.contains(name) ? nil : ""
        case (.named(let name), _):
            guard let type = self.type(named: name) else { return "" }
            return mismatch(of: value, with: type)
        default:
            return ""
        }
    }
}
