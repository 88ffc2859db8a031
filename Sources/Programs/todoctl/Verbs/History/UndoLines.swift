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

    /// `Undone: remove 6 (Send the invoice is back)`, or what was done and below it what changed; what is asked for now, and what had
    /// happened out there already.
    func lines(_ said: String, isDryRun: Bool, paint: Paint) -> [String] {
        let known = isDuplicate ? " This key was known." : ""
        let changed = self.changed(isUndo: true, paint)
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

    private func asked(isDryRun: Bool) -> [String] {
        var lines: [String] = []
        let asked = isDryRun ? "would ask for" : "asked for"
        lines += commands.map { "\(asked) \(UndoLines.name($0))" }
        if let commandsLeftOut { lines.append("\(asked) \(UndoLines.more(commandsLeftOut, "command"))") }
        for effect in effects {
            let what = UndoLines.name(effect.command)
            lines.append(
                effect.certain ? "\(what) was done already" : "\(what) had begun and was cancelled; it may have been done")
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

    private static func name(_ command: CommandMessage) -> String {
        let arguments = Tree.compact(command.arguments)
        return Visible.text(command.name) + (arguments.isEmpty ? "" : " " + arguments)
    }

    private static func text(_ value: Value?, of name: String?) -> String {
        guard let value else { return "nothing" }
        if let fields = value.record, fields.count == 1, let only = fields.first, only.name == "value" {
            return Tree.compact(only.value, of: name)
        }
        return ChangeLines.name(value)
    }
}
