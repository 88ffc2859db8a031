import Reducing
import TodoAPI

/// What came of taking something back, as lines for a person.
struct UndoLines {
    private var changes: [Change]?
    private var isDuplicate: Bool
    private var commands: [CommandMessage]
    private var commandsLeftOut: UInt64?
    private var effects: [EffectMessage] = []
    private var effectsLeftOut: UInt64?
    // Whether todos that come were there before.
    private var comesBack = false
    // What todos are called of which nothing that is told tells it.
    private var known: [Int64: String] = [:]

    init(_ answer: UndoMethod.Output) {
        (changes, isDuplicate) = (answer.changes, answer.duplicate)
        (commands, commandsLeftOut) = (answer.commands, answer.commandsLeftOut)
        (effects, effectsLeftOut) = (answer.effects, answer.effectsLeftOut)
    }

    init(_ answer: RevertMethod.Output) {
        comesBack = true
        (changes, isDuplicate) = (answer.changes, answer.duplicate)
        (commands, commandsLeftOut) = (answer.commands, answer.commandsLeftOut)
    }

    /// `Undone: remove 6 (Send the invoice is back)`, `Undone: remove 4, 5 (Buy the milk and Rent a car are back)`, or what was done and
    /// below it what changed; what is asked for now, and what had happened out there already.
    func lines(_ said: String, isDryRun: Bool, paint: Paint) -> [String] {
        let known = isDuplicate ? ", as asked before" : ""
        // What was done tells enough where it changed more than an answer holds; who only tries it wants to know that.
        if changes == nil, !isDuplicate, !isDryRun { return [said] + asked(isDryRun: false) }
        let together = ChangeSentence.together(changes ?? [], paint: paint)
        let changed = together.map { [$0] } ?? self.changed(isUndo: true, isDryRun: isDryRun, paint)
        guard changed.count == 1, let change = changed.first else {
            return [said + known] + changed.map { "  " + $0 } + asked(isDryRun: isDryRun)
        }
        return ["\(said) (\(change))" + known] + asked(isDryRun: isDryRun)
    }

    /// What changed, what is asked for now, and what had happened out there already.
    func details(isDryRun: Bool, paint: Paint) -> [String] {
        changed(isUndo: false, isDryRun: isDryRun, paint) + asked(isDryRun: isDryRun)
    }

    /// Finds out what todos are called that move, or for which commands are asked, where the changes don't tell that.
    ///
    /// - Parameter moment: at which those that are gone were there.
    mutating func nameTodos(_ client: Client, at moment: Point? = nil) {
        let titles = titles
        let ids = (commands + effects.map(\.command)).compactMap { command in
            command.name.hasPrefix("todos.") ? command.arguments["id"]?.int : nil
        }
        let moved = (changes ?? []).lazy.filter { $0.path == "todos.items" && $0.kind == .move }.compactMap(\.id)
        var unknown = (ids + moved.prefix(ChangeSummary.toldMax)).filter { titles[$0] == nil }
        // It is asked for courtesy: their numbers name them, too.
        let moments: [Point?] = moment.map { [nil, $0] } ?? [nil]
        for point in moments where !unknown.isEmpty {
            known.merge((try? client.titles(of: unknown, at: point)) ?? [:]) { first, _ in first }
            unknown.removeAll { known[$0] != nil }
        }
    }

    /// The star buttons of which a change tells that a request for them is made: that is not said again of the request.
    private var requestedStars: Set<String> {
        var ids: Set<String> = []
        for change in changes ?? [] {
            guard let star = StarLine.star(change), star.value["phase"]?.text?.hasSuffix("staring") == true else { continue }
            ids.insert(star.name)
        }
        return ids
    }

    // What is only tried is told by what would be asked for.
    private func changed(isUndo: Bool, isDryRun: Bool, _ paint: Paint) -> [String] {
        let requested = isDryRun ? requestedStars : []
        let changes = changes?.filter { change in StarLine.star(change).map { !requested.contains($0.name) } ?? true }
        let summary = ChangeSummary(
            changes: changes ?? [], isUndo: isUndo, comesBack: isUndo || comesBack, titles: titles, paint: paint)
        var lines = summary.lines
        // Who asks again with a known key is not told them again.
        if changes == nil, !isDuplicate { lines.append("more changes than can be shown") }
        return lines
    }

    /// What the todos are called that changed.
    private var titles: [Int64: String] {
        var titles = known
        for change in changes ?? [] where change.path == "todos.items" {
            if let id = change.id, let title = (change.new ?? change.old)?["title"]?.text { titles[id] = title }
        }
        return titles
    }

    private func asked(isDryRun: Bool) -> [String] {
        var lines: [String] = []
        let asked = isDryRun ? "would ask for" : "asked for"
        let titles = self.titles
        let stars = requestedStars
        let isTold = { (command: CommandMessage) in
            command.name.hasPrefix("stars.") && stars.contains(command.arguments["id"]?.text ?? "")
        }
        lines += commands.filter { isDryRun || !isTold($0) }.map { command in
            CommandWords(command.name, command.arguments, titles: titles).asked(isDryRun: isDryRun)
        }
        if let commandsLeftOut { lines.append("\(asked) \(UndoLines.more(commandsLeftOut, "command"))") }
        lines += effects.filter { !$0.certain || !isTold($0.command) }.map { effect in
            CommandWords(effect.command.name, effect.command.arguments, titles: titles).happened(isCertain: effect.certain)
        }
        if let effectsLeftOut {
            lines.append("and \(UndoLines.more(effectsLeftOut, "command")) that had begun, or came to an end")
        }
        return lines
    }

    /// Adds to a failure what has changed since.
    static func telling(_ failure: Failure) -> Failure {
        guard case .changedSince(_, let conflicts, let leftOut) = failure.known else { return failure }
        var failure = failure
        var lines = conflicts.map { conflict in
            let path = Visible.text(conflict.path)
            let name = path.split(separator: ".").last.map(String.init)
            return "  \(path): \(text(conflict.expected, of: name)) was expected, \(text(conflict.found, of: name)) is there"
        }
        if let leftOut {
            // Behind so many it is not looked for more.
            let isWhole = conflicts.count + Int(clamping: leftOut) < APIError.conflictsFoundMax
            lines.append("  and at \(more(leftOut, "place"))\(isWhole ? "" : " at least")")
        }
        let place = conflicts.first.map { ChangeSentence.place(Visible.text($0.path)) } ?? "It"
        let others = conflicts.count > 1 ? " and more" : ""
        failure.message = (["\(place)\(others) changed since; nothing was done. --force overwrites that."] + lines).joined(
            separator: "\n")
        return failure
    }

    private static func more(_ count: UInt64, _ what: String) -> String {
        Digits.counted(count, "more \(what)")
    }

    private static func text(_ value: Value?, of name: String?) -> String {
        guard let value else { return "nothing" }
        if let fields = value.record, fields.count == 1, let only = fields.first, only.name == "value" {
            return Tree.compact(only.value, of: name)
        }
        return ChangeLines.name(value)
    }
}
