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
        let known = isDuplicate ? " This key was known." : ""
        // What was done tells enough where it changed more than an answer holds; who only tries it wants to know that.
        if changes == nil, !isDuplicate, !isDryRun { return [said + "."] + asked(isDryRun: false) }
        let together = ChangeSentence.together(changes ?? [], paint: paint)
        let changed = together.map { [$0] } ?? self.changed(isUndo: true, paint)
        guard changed.count == 1, let change = changed.first else {
            return [said + "." + known] + changed.map { "  " + $0 } + asked(isDryRun: isDryRun)
        }
        return ["\(said) (\(change))" + known] + asked(isDryRun: isDryRun)
    }

    /// What changed, what is asked for now, and what had happened out there already.
    func details(isDryRun: Bool, paint: Paint) -> [String] { changed(isUndo: false, paint) + asked(isDryRun: isDryRun) }

    private func changed(isUndo: Bool, _ paint: Paint) -> [String] {
        var lines = ChangeSummary(changes: changes ?? [], isUndo: isUndo, comesBack: isUndo || comesBack, paint: paint).lines
        // Who asks again with a known key is not told them again.
        if changes == nil, !isDuplicate { lines.append("more changes than can be shown") }
        return lines
    }

    /// What the todos are called that changed.
    private var titles: [Int64: String] {
        var titles: [Int64: String] = [:]
        for change in changes ?? [] where change.path == "todos.items" {
            if let id = change.id, let title = (change.new ?? change.old)?["title"]?.text { titles[id] = title }
        }
        return titles
    }

    private func asked(isDryRun: Bool) -> [String] {
        var lines: [String] = []
        let asked = isDryRun ? "would ask for" : "asked for"
        let titles = self.titles
        lines += commands.map { CommandWords($0.name, $0.arguments, titles: titles).asked(isDryRun: isDryRun) }
        if let commandsLeftOut { lines.append("\(asked) \(UndoLines.more(commandsLeftOut, "command"))") }
        lines += effects.map { effect in
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
