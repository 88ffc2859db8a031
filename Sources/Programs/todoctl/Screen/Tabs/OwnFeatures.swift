import Dates
import Reducing

/// What the tabs of the features of todod show that are known by name; any other is shown field by field.
enum OwnFeatures {
    /// The lines of a feature; `nil`: it is not known.
    static func rows(of feature: String, _ view: Value, zone: Zone) -> [FeatureRow]? {
        switch feature {
        case "counter":
            guard let count = view["count"]?.int else { return nil }
            return [FeatureRow("count", [Span("  counter  ", .dim), Span(String(count), .bold)])]
        case "alerts": return elements(view, empty: "No alert waits.") { [Span("! ", .warning), Span(said($0["text"]))] }
        case "posts":
            return title(view, view["loading"]?.bool == true)
                + elements(view, empty: "No posts are here. F fetches them.") { post in
                    let day = post["published"]?.int.flatMap { $0 > 0 ? zone.moment(at: $0 / 1_000_000).day.short : nil }
                    return [Span(said(post["title"]))] + (day.map { [Span("  " + $0, .dim)] } ?? [])
                }
        case "stars":
            return elements(view, empty: "No star was pressed.") { star in
                let isGiven = (star["starCount"]?.int ?? 0) > 0
                let phase = star["phase"]?.text ?? ""
                return [Span(isGiven ? "★ " : "☆ ", isGiven ? .priority : .dim), Span(said(star["id"]))]
                    + (phase == "staring" || phase == "unstaring" ? [Span("  …", .dim)] : [])
            }
        case "repositories":
            return title(view, view["refreshing"]?.bool == true)
                + elements(view, "repositories", empty: "No repositories are here. F fetches them.") { repository in
                    [
                        Span(said(repository["name"])), Span("  " + said(repository["stars"]), .priority),
                        Span("  " + said(repository["description"]), .dim),
                    ]
                }
        case "flows": return questions(view)
        case "views":
            return elements(view, empty: "No view is saved.") { view in
                [Span("@" + said(view["name"]), .tag), Span("  " + said(view["filter"]))]
                    + (view["sort"]?.text.map { [Span("  sorted by " + Visible.text($0), .dim)] } ?? [])
            }
        default: return nil
        }
    }

    /// The lines of the commands that are open.
    static func commands(_ view: Value, zone: Zone, now: Int64) -> [FeatureRow] {
        let commands = view["commands"]?.list ?? []
        guard !commands.isEmpty else { return [FeatureRow("", [Span("  No command is open.", .dim)])] }
        return commands.map { command in
            let id = "\(command["id"]?["sequence"]?.int ?? 0).\(command["id"]?["index"]?.int ?? 0)"
            let stage = command["held"]?.bool == true ? "held" : said(command["stage"])
            var spans = [Span("  " + id + "  ", .dim), Span(said(command["name"])), Span("  " + stage, stage == "parked" ? .failure : .due)]
            if let attempts = command["attempts"]?.int, attempts > 0 { spans.append(Span("  \(Digits.counted(attempts, "attempt"))", .dim)) }
            if let due = command["due"]?.int, due > now {
                spans.append(Span("  at \(zone.moment(at: due / 1_000_000).text)", .dim))
            }
            if let reason = command["reason"]?.text { spans.append(Span("  " + Visible.text(reason), .failure)) }
            return FeatureRow(id, spans, .command(command["id"] ?? .null))
        }
    }

    private static func questions(_ view: Value) -> [FeatureRow] {
        let flows = view["rows"]?.list ?? []
        guard !flows.isEmpty else { return [FeatureRow("", [Span("  No question is open.", .dim)])] }
        return flows.flatMap { flow -> [FeatureRow] in
            guard let id = flow["id"]?.int else { return [] }
            let name = FeatureRow.name(of: flow)
            let options = (flow["options"]?.list ?? []).compactMap(\.text)
            let waits = flow["waits"]?.bool == true
            let about = flow["input"]?.text.map { $0.isEmpty ? "" : "  " + Visible.text($0) } ?? ""
            let head = [Span("? ", .warning), Span("which " + said(flow["kind"]), .bold), Span(about, .dim)]
            guard !waits else { return [FeatureRow(name, head + [Span("  waits for another question", .dim)])] }
            return [FeatureRow(name, head + [Span("  question \(id)", .dim)], .question(id))]
                + options.map { FeatureRow(name, [Span("    " + Visible.text($0))], .option(flow: id, $0)) }
        }
    }

    private static func title(_ view: Value, _ isLoading: Bool) -> [FeatureRow] {
        [FeatureRow("title", [Span(said(view["title"]), .heading), Span(isLoading ? "  fetching …" : "", .dim)])]
    }

    private static func elements(
        _ view: Value, _ list: String = "rows", empty: String, _ spans: (Value) -> [Span]
    ) -> [FeatureRow] {
        let elements = view[list]?.list ?? []
        guard !elements.isEmpty else { return [FeatureRow("", [Span("  " + empty, .dim)])] }
        return elements.map { FeatureRow(FeatureRow.name(of: $0), [Span("  ")] + spans($0), .element($0)) }
    }

    private static func said(_ value: Value?) -> String { value.map(FeatureRow.text) ?? "" }
}
