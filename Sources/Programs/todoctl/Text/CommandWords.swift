import Chronicle
import Dates

struct CommandWords {
    /// The order: `remind you of Call the bank on Fri 27 Nov 2026 14:30`; `nil` for a command that cancels another.
    private let order: String?
    /// The completed command: `you were reminded of Call the bank on Fri 27 Nov 2026 14:30`; or what it cancelled.
    private let done: String
    private let name: String?

    init(_ name: String, _ arguments: Value, titles: [Int64: String] = [:]) {
        let words = Self.words(name, arguments, titles)
        let plain = Tree.call(name, arguments)
        order = words?.order
        done = words?.done ?? plain
        self.name = words == nil ? plain : nil
    }

    /// `will load the todos`, `no reminder of Call the bank any more`; or the same for a dry run.
    func asked(isDryRun: Bool) -> String {
        if let name { return (isDryRun ? "would ask for " : "asked for ") + name }
        return order.map { (isDryRun ? "would " : "will ") + $0 } ?? done
    }

    /// Says that it had completed, or possibly begun, before its request was undone.
    func happened(isCertain: Bool) -> String {
        guard !isCertain else { return name == nil ? "\(done) already" : "\(done) was done already" }
        let begun = name ?? order.map { "to \($0)" } ?? done
        return "\(begun) had begun and was cancelled; it may have been done"
    }

    /// `3: Call the bank, Fri 27 Nov 2026 14:30`; `nil` for commands that are no reminders.
    static func reminder(_ name: String, _ arguments: Value, titles: [Int64: String]) -> String? {
        guard name == "todos.remind", let id = arguments["id"]?.int else { return nil }
        let title = titles[id].map { ": " + Visible.text($0) } ?? ""
        return "\(id)\(title)" + (due(arguments).map { ", " + $0.short } ?? "")
    }

    private static func words(
        _ name: String, _ arguments: Value, _ titles: [Int64: String]
    ) -> (order: String?, done: String)? {
        let id = arguments["id"]?.int ?? 0
        let todo = titles[id].map(Visible.text) ?? "todo \(id)"
        let star = Visible.text(arguments["id"]?.text ?? "")
        let language = Visible.text(arguments["language"]?.text ?? "")
        let moment = due(arguments).map { " on " + $0.short } ?? ""
        switch name {
        case "todos.load": return ("load the todos", "the todos were loaded")
        case "todos.remind": return ("remind you of \(todo)\(moment)", "you were reminded of \(todo)\(moment)")
        case "todos.forget": return (nil, "no reminder of \(todo) any more")
        case "posts.fetch": return ("fetch the posts", "the posts were fetched")
        case "stars.star": return ("star \(star)", "\(star) was starred")
        case "stars.unstar": return ("take back the star of \(star)", "the star of \(star) was taken back")
        case "repositories.fetch":
            return ("list the repositories for \(language)", "the repositories for \(language) were listed")
        case "repositories.languages": return ("list the languages", "the languages were listed")
        case "repositories.cancelLanguages": return (nil, "the languages are no longer asked for")
        case "flows.timeOut": return ("end question \(id) when its time is over", "question \(id) was ended")
        case "flows.keep": return (nil, "question \(id) no longer ends by itself")
        default: return nil
        }
    }

    private static func due(_ arguments: Value) -> Due? { arguments["time"]?.text.flatMap { Due(text: $0) } }
}
