import Fields

/// What a client may dispatch, and what it finds in the state: an interface for each feature.
///
/// They hold types alone. `Dispatch` takes the actions and `GetState` gives the state, under the feature's name.
struct FeatureInterfaces<App: DaemonApp> {
    /// The texts, one for each child of the app, or one for an app without any.
    let texts: [String]

    /// Describes the features of a program.
    init(of program: String) {
        let (children, state, actions) = (App.children, App.shape, App.actionShape)
        texts =
            children.isEmpty
            ? [Self.text(program, state: state, actions: actions, within: "")]
            : children.map { name in
                Self.text(name, state: state[name] ?? .any, actions: actions[name] ?? .any, within: name + ".")
            }
    }

    private static func text(_ name: String, state: Shape, actions: Shape, within place: String) -> String {
        var text = InterfaceText()
        text.comment(App.documentation[name], indent: "")
        text.lines.append("interface org.todod.feature.\(name.capitalizedFirst)")
        text.type("State", state, comments: { App.documentation[place + "state." + $0] })
        text.type("Action", actions, comments: { App.documentation[place + $0] })
        return text.lines.joined(separator: "\n") + "\n"
    }
}

/// An interface description that is being written.
private struct InterfaceText {
    var lines: [String] = []

    mutating func comment(_ sentences: String?, indent: String) {
        for line in sentences?.split(separator: "\n") ?? [] { lines.append(indent + "# " + line) }
    }

    mutating func type(_ name: String, _ shape: Shape, comments: (String) -> String?) {
        guard case .record(let fields) = shape else { return }
        lines += ["", "type \(name) ("]
        for (index, field) in fields.enumerated() {
            comment(comments(field.name), indent: "  ")
            if field.isFilledIn { comment(Self.filledIn, indent: "  ") }
            lines.append("  \(Self.written(field))\(index + 1 < fields.count ? "," : "")")
        }
        lines.append(")")
    }

    /// Stands above a field that no person is asked for; clients look for it.
    private static let filledIn = "Filled in by the daemon."

    private static func written(_ field: Shape.Field) -> String {
        "\(field.name): \(field.isOptional ? "?" : "")\(written(field.shape))"
    }

    private static func written(_ shape: Shape) -> String {
        switch shape {
        case .bool: "bool"
        case .int: "int"
        case .text: "string"
        case .list(let element): "[]" + written(element)
        case .map(let element): "[string]" + written(element)
        // A comment ends its line.
        case .record(let fields):
            "(" + fields.map { ($0.isFilledIn ? "\n    # \(filledIn)\n    " : "") + written($0) }.joined(separator: ", ") + ")"
        case .any: "object"
        }
    }
}
