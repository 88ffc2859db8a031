import Chronicle
import TodoAPI
import Varlink

struct FeatureTab: Equatable {
    enum Kind: Equatable {
        /// The todos, which subscribe to a state instead of a view.
        case todos
        case feature, commands
    }

    let name: String
    let kind: Kind
    /// The view; `nil` until it is loaded.
    var view: Value?
    var pages: Value?
    /// The open commands; `nil` until they are loaded.
    var commands: [OpenCommandMessage]?
    var commandsComing: [OpenCommandMessage] = []
    var failure: String?
    var isFollowed = false
    var actions: [ViewAction]?
    var selected = 0
    var offset = 0
    var flashes: [String: Int64] = [:]

    init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }

    var isTodos: Bool { kind == .todos }

    var title: String { ["flows": "questions", "repositories": "repos"][name] ?? name }
}

struct ViewAction: Equatable {
    struct Field: Equatable {
        var name: String
        var isNumber: Bool
        var isOptional: Bool
    }

    var name: String
    var documentation: String
    var fields: [Field]
}

struct PendingAction: Equatable {
    var feature: String
    var name: String
    var known: [Value.Field]
    var asked: [ViewAction.Field]
}

struct FeatureRow: Equatable {
    enum Subject: Equatable {
        case none
        case element(Value)
        case option(flow: Int64, String)
        case question(Int64)
        case command(CommandID)
        case action(ViewAction)
    }

    var name: String
    var spans: [StyledText]
    var subject = Subject.none

    var isSelectable: Bool { subject != .none }

    init(_ name: String, _ spans: [StyledText], _ subject: Subject = .none) {
        (self.name, self.spans, self.subject) = (name, spans, subject)
    }

    static func name(of element: Value) -> String {
        guard let id = element["id"] else { return "" }
        return id.text ?? id.int.map { String($0) } ?? id.description
    }
}

extension FeatureRow {
    static func rows(of view: Value, in feature: String, actions: [ViewAction]) -> [FeatureRow] {
        var rows: [FeatureRow] = []
        let fields = view.record ?? []
        for field in fields where field.value.list == nil {
            let value = text(field.value, of: feature + "." + field.name)
            rows.append(FeatureRow(field.name, [StyledText(Visible.text(field.name) + "  ", .dim), StyledText(value, .bold)]))
        }
        for field in fields {
            guard let elements = field.value.list else { continue }
            rows.append(FeatureRow("", [StyledText(Visible.text(field.name).uppercased() + "  \(elements.count)", .heading)]))
            rows += elements.map { FeatureRow(name(of: $0), spans(of: $0, in: feature), .element($0)) }
        }
        guard !actions.isEmpty else { return rows }
        rows.append(FeatureRow("", [StyledText("ACTIONS", .heading)]))
        rows += actions.map { action in
            FeatureRow(
                "", [StyledText("  " + action.name), StyledText("  " + Visible.text(action.documentation), .dim)], .action(action)
            )
        }
        return rows
    }

    private static func spans(of element: Value, in feature: String) -> [StyledText] {
        guard let fields = element.record else { return [StyledText("  " + text(element))] }
        let title = fields.first { ["title", "text", "name", "kind"].contains($0.name) && $0.value.text?.isEmpty == false }
        var spans: [StyledText] = [StyledText("  ")]
        if let id = fields.first(where: { $0.name == "id" }) { spans.append(StyledText(text(id.value) + "  ", .dim)) }
        if let title { spans.append(StyledText(text(title.value))) }
        for field in fields where field.name != "id" && field.name != title?.name {
            let value = text(field.value, of: feature + "." + field.name)
            spans += [StyledText("  " + Visible.text(field.name) + " ", .dim), StyledText(value)]
        }
        return spans
    }

    static func text(_ value: Value, of path: String = "") -> String {
        switch value {
        case .text(let text): Visible.text(text)
        case .list(let elements): elements.map { text($0, of: path) }.joined(separator: ", ")
        default: Tree.compact(value, of: path)
        }
    }
}
