import Chronicle
import LinuxService
import TodoAPI
import Varlink

/// The interface of each feature, with its actions, state and refusals; it has no methods, because `Dispatch` takes the actions.
struct FeatureInterfaces<App: DaemonApp> {
    /// Order: the app's own refusals if it has any, then one per child, or a single one for an app without children.
    let texts: [String]

    init(_ names: InterfaceNames) {
        let (children, actions) = (App.children, App.actionShape)
        let own = Self.text(names, children.isEmpty ? ".\(App.self)" : "", actions)
        texts =
            (children.isEmpty || own.contains("error ") ? [own] : [])
            + children.map { Self.text(names, "." + $0.capitalizedFirst, actions[$0] ?? .any, of: $0) }
    }

    private static func text(_ names: InterfaceNames, _ name: String, _ actions: Shape, of child: String = "") -> String {
        let place = child.isEmpty ? "" : child + "."
        var text = InterfaceText()
        text.comment(name.isEmpty ? "Refusals of the app's own rules." : App.documentation[child], indent: "")
        text.lines.append("interface " + names.served(APIError.featurePrefix).dropLast() + name)
        if !name.isEmpty {
            text.type("State", child.isEmpty ? App.shape : App.shape[child] ?? .any) { App.documentation[place + "state." + $0] }
            text.type("Action", actions) { App.documentation[place + $0] }
        }
        let prefix = place + "refusal."
        for key in App.documentation.keys.filter({ $0.hasPrefix(prefix) }).sorted() {
            text.lines.append("")
            text.comment(App.documentation[key], indent: "")
            text.lines.append("error \(key.dropFirst(prefix.count)) (message: string, action: int)")
        }
        return text.lines.joined(separator: "\n") + "\n"
    }
}

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
            if field.isFilledIn { comment(Interfaces.filledIn, indent: "  ") }
            lines.append("  \(Self.written(field))\(index + 1 < fields.count ? "," : "")")
        }
        lines.append(")")
    }

    private static func written(_ field: Shape.Field) -> String {
        "\(field.name): \(field.isOptional ? "?" : "")\(written(field.shape))"
    }

    // A comment ends its line.
    private static let filledIn = "\n    # \(Interfaces.filledIn)\n    "

    private static func written(_ shape: Shape) -> String {
        switch shape {
        case .bool: "bool"
        case .int: "int"
        case .text: "string"
        case .list(let element): "[]" + written(element)
        case .map(let element): "[string]" + written(element)
        case .record(let fields): "(" + fields.map { ($0.isFilledIn ? filledIn : "") + written($0) }.joined(separator: ", ") + ")"
        case .any: "object"
        }
    }
}

/// The names on the wire: those of interfaces have the prefix of the program, those of refusals the name of the child.
struct ServedNames: Sendable {
    let interfaces: InterfaceNames
    let methods: [String: KnownMethod]
    private let child: @Sendable (_ feature: String) -> String?

    init(of program: Program, child: @escaping @Sendable (String) -> String?) {
        (interfaces, self.child) = (InterfaceNames(prefix: program.interfaces), child)
        methods = Dictionary(uniqueKeysWithValues: KnownMethod.named.map { [interfaces] in (interfaces.served($0), $1) })
    }

    var texts: [String] {
        let (own, served) = (InterfaceNames.ownPrefix, interfaces.prefix)
        return own == served ? Interfaces.all : Interfaces.all.map { $0.replacing(own, with: served) }
    }

    func error(_ error: APIError) -> CallError {
        var named = error
        if case .refused(var refusal, let action) = error, let child = child(refusal.feature) {
            refusal.feature = child.capitalizedFirst
            named = .refused(refusal, action: action)
        }
        return CallError(interfaces.served(named.name), error.parameters)
    }
}
