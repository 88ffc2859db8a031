import Chronicle
import Dates
import Terminal
import TodoAPI

/// The tabs of known features; other features use the generic rows.
enum OwnFeatures {
    static func rows(of feature: String, _ view: Value, zone: Zone) -> [FeatureRow]? {
        switch feature {
        case "counter":
            guard let count = view["count"]?.int else { return nil }
            return [FeatureRow("count", [StyledText("  counter  ", .dim), StyledText(String(count), .bold)])]
        case "alerts":
            return elements(view, empty: "No alert waits.") { [StyledText("! ", .warning), StyledText(said($0["text"]))] }
        case "posts":
            return title(view, view["loading"]?.bool == true)
                + elements(view, empty: "No posts are here. F fetches them.") { post in
                    let day = post["published"]?.int.flatMap { $0 > 0 ? zone.moment(at: $0 / 1_000_000).day.short : nil }
                    return [StyledText(said(post["title"]))] + (day.map { [StyledText("  " + $0, .dim)] } ?? [])
                }
        case "stars":
            return elements(view, empty: "No star was pressed.") { star in
                let isGiven = (star["starCount"]?.int ?? 0) > 0
                let phase = star["phase"]?.text ?? ""
                return [StyledText(isGiven ? "★ " : "☆ ", isGiven ? .priority : .dim), StyledText(said(star["id"]))]
                    + (phase == "staring" || phase == "unstaring" ? [StyledText("  …", .dim)] : [])
            }
        case "repositories":
            return title(view, view["refreshing"]?.bool == true)
                + elements(view, "repositories", empty: "No repositories are here. F fetches them.") { repository in
                    [
                        StyledText(said(repository["name"])), StyledText("  " + said(repository["stars"]), .priority),
                        StyledText("  " + said(repository["description"]), .dim),
                    ]
                }
        case "flows": return questions(view)
        case "views":
            return elements(view, empty: "No view is saved.") { view in
                [StyledText("@" + said(view["name"]), .tag), StyledText("  " + said(view["filter"]))]
                    + (view["sort"]?.text.map { [StyledText("  sorted by " + Visible.text($0), .dim)] } ?? [])
            }
        default: return nil
        }
    }

    // Leaves space for the time of a reminder.
    private static let titleColumnsMax = 30

    static func commands(_ commands: [OpenCommandMessage], _ todos: TodoList, zone: Zone, now: Int64) -> [FeatureRow] {
        guard !commands.isEmpty else { return [FeatureRow("", [StyledText("  No command is open.", .dim)])] }
        return commands.map { command in
            let stage = command.held ? "held" : Visible.text(command.stage)
            var spans = [
                StyledText("  " + command.id.text + "  ", .dim), StyledText(Visible.text(command.name)),
                StyledText("  " + stage, stage == "parked" ? .failure : .due),
            ]
            if command.attempts > 0 { spans.append(StyledText("  \(Digits.counted(command.attempts, "attempt"))", .dim)) }
            let reminded = reminder(command, todos)
            if let reminded { spans.append(StyledText("  " + reminded)) }
            // A reminder's `due` is when the daemon checks it, early enough for any time zone; the row already shows the
            // intended time.
            if let due = command.due, due > now, reminded == nil || command.reason != nil {
                spans.append(StyledText("  at \(zone.moment(at: due / 1_000_000).text)", .dim))
            }
            if let reason = command.reason { spans.append(StyledText("  " + Visible.text(reason), .failure)) }
            return FeatureRow(command.id.text, spans, .command(command.id))
        }
    }

    private static func reminder(_ command: OpenCommandMessage, _ todos: TodoList) -> String? {
        guard let arguments = command.arguments else { return nil }
        var titles: [Int64: String] = [:]
        if let id = arguments["id"]?.int, let todo = todos[id] {
            titles[id] = Width.cut(Visible.text(todo.title), to: titleColumnsMax)
        }
        return CommandWords.reminder(command.name, arguments, titles: titles)
    }

    private static func questions(_ view: Value) -> [FeatureRow] {
        let flows = view["rows"]?.list ?? []
        guard !flows.isEmpty else { return [FeatureRow("", [StyledText("  No question is open.", .dim)])] }
        return flows.flatMap { flow -> [FeatureRow] in
            guard let id = flow["id"]?.int else { return [] }
            let name = FeatureRow.name(of: flow)
            let options = (flow["options"]?.list ?? []).compactMap(\.text)
            let waits = flow["waits"]?.bool == true
            let about = flow["input"]?.text.map { $0.isEmpty ? "" : "  " + Visible.text($0) } ?? ""
            let head = [StyledText("? ", .warning), StyledText("which " + said(flow["kind"]), .bold), StyledText(about, .dim)]
            guard !waits else { return [FeatureRow(name, head + [StyledText("  waits for another question", .dim)])] }
            return [FeatureRow(name, head + [StyledText("  question \(id)", .dim)], .question(id))]
                + options.map { FeatureRow(name, [StyledText("    " + Visible.text($0))], .option(flow: id, $0)) }
        }
    }

    private static func title(_ view: Value, _ isLoading: Bool) -> [FeatureRow] {
        [FeatureRow("title", [StyledText(said(view["title"]), .heading), StyledText(isLoading ? "  fetching …" : "", .dim)])]
    }

    private static func elements(
        _ view: Value, _ list: String = "rows", empty: String, _ spans: (Value) -> [StyledText]
    ) -> [FeatureRow] {
        let elements = view[list]?.list ?? []
        guard !elements.isEmpty else { return [FeatureRow("", [StyledText("  " + empty, .dim)])] }
        return elements.map { FeatureRow(FeatureRow.name(of: $0), [StyledText("  ")] + spans($0), .element($0)) }
    }

    private static func said(_ value: Value?) -> String { value.map { FeatureRow.text($0) } ?? "" }
}
