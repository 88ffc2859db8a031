import Chronicle
import TodoAPI

/// The result of an undo, as lines.
struct UndoLines {
    private var changes: [Change]?
    private var isDuplicate: Bool
    private var commands: [CommandMessage]
    private var commandsLeftOut: UInt64?
    private var effects: [EffectMessage]
    private var effectsLeftOut: UInt64?
    // Whether inserted todos existed before.
    private var comesBack: Bool
    // The titles of todos that the changes do not contain.
    private var known: [Int64: String] = [:]

    init(_ answer: UndoMethod.Output) {
        (changes, isDuplicate) = (answer.changes, answer.duplicate)
        (commands, commandsLeftOut) = (answer.commands, answer.commandsLeftOut)
        (effects, effectsLeftOut) = (answer.effects, answer.effectsLeftOut)
        comesBack = answer.target != nil
    }

    /// `Undone: remove 6 (Send the invoice is back)`, `Undone: remove 4, 5 (Buy the milk and Rent a car are back)`, or the undone step
    /// followed by its changes; then the requested commands, and effects outside that remain.
    func lines(_ said: String, isDryRun: Bool, paint: Paint) -> [String] {
        let known = isDuplicate ? ", as asked before" : ""
        // If the reply can't hold all changes, the step alone is enough. A dry run reports that.
        if changes == nil, !isDuplicate, !isDryRun { return [said] + asked(isDryRun: false) }
        let together = ChangeSentence.together(changes ?? [], paint: paint)
        let changed = together.map { [$0] } ?? self.changed(isUndo: true, isDryRun: isDryRun, paint)
        guard changed.count == 1, let change = changed.first else {
            return [said + known] + changed.map { "  " + $0 } + asked(isDryRun: isDryRun)
        }
        return ["\(said) (\(change))" + known] + asked(isDryRun: isDryRun)
    }

    /// The changes, the requested commands, and effects outside that remain.
    func details(isDryRun: Bool, paint: Paint) -> [String] {
        changed(isUndo: false, isDryRun: isDryRun, paint) + asked(isDryRun: isDryRun)
    }

    /// Reads the titles of todos that move or that commands name, if the changes do not contain them.
    ///
    /// - Parameter moment: a moment at which removed todos existed.
    mutating func nameTodos(_ client: Client, at moment: Point? = nil) {
        let titles = titles
        let ids = (commands + effects.map(\.command)).compactMap { command in
            command.name.hasPrefix("todos.") ? command.arguments["id"]?.int : nil
        }
        let moved = (changes ?? []).lazy.filter { $0.path == "todos.items" && $0.kind == .move }.compactMap(\.id)
        var unknown = (ids + moved.prefix(ChangeSummary.sentencesMax)).filter { titles[$0] == nil }
        // A failure is ignored, because their ids name them as well.
        let moments: [Point?] = moment.map { [nil, $0] } ?? [nil]
        for point in moments where !unknown.isEmpty {
            known.merge((try? client.titles(of: unknown, at: point)) ?? [:]) { first, _ in first }
            unknown.removeAll { known[$0] != nil }
        }
    }

    /// The star buttons whose changes already mention their request, which is then not listed again.
    private var requestedStars: Set<String> {
        var ids: Set<String> = []
        for change in changes ?? [] {
            guard let star = StarLine.star(change), star.value["phase"]?.text?.hasSuffix("staring") == true else { continue }
            ids.insert(star.name)
        }
        return ids
    }

    // A dry run lists the commands that it would request.
    private func changed(isUndo: Bool, isDryRun: Bool, _ paint: Paint) -> [String] {
        let requested = isDryRun ? requestedStars : []
        let changes = changes?.filter { change in StarLine.star(change).map { !requested.contains($0.name) } ?? true }
        let summary = ChangeSummary(
            changes: changes ?? [], isUndo: isUndo, comesBack: isUndo || comesBack, titles: titles, paint: paint)
        var lines = summary.lines
        // A repeated call with a known key does not return them again.
        if changes == nil, !isDuplicate { lines.append("more changes than can be shown") }
        return lines
    }

    /// The titles of the changed todos.
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
        let isListed = { (command: CommandMessage) in
            command.name.hasPrefix("stars.") && stars.contains(command.arguments["id"]?.text ?? "")
        }
        lines += commands.filter { isDryRun || !isListed($0) }.map { command in
            CommandWords(command.name, command.arguments, titles: titles).asked(isDryRun: isDryRun)
        }
        if let commandsLeftOut { lines.append("\(asked) \(UndoLines.more(commandsLeftOut, "command"))") }
        lines += effects.filter { !$0.certain || !isListed($0.command) }.map { effect in
            CommandWords(effect.command.name, effect.command.arguments, titles: titles).happened(isCertain: effect.certain)
        }
        if let effectsLeftOut {
            lines.append("and \(UndoLines.more(effectsLeftOut, "command")) that had begun or ended")
        }
        return lines
    }

    /// Adds the conflicting changes to a failure.
    static func telling(_ failure: Failure) -> Failure {
        guard case .changedSince(_, let conflicts, let leftOut) = failure.known else { return failure }
        var failure = failure
        var lines = conflicts.map { conflict in
            let path = Visible.text(conflict.path)
            let sides = [conflict.expected, conflict.found].map { text($0, of: conflict.path) }
            return "  \(path): \(sides[0]) was expected, \(sides[1]) is there"
        }
        if let leftOut {
            // More are not looked up.
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

    private static func text(_ value: Value?, of path: String) -> String {
        guard let value else { return "nothing" }
        let only = value.record?.count == 1 ? value["value"].map { Tree.compact($0, of: path) } : nil
        return only ?? ChangeLines.name(value, of: path)
    }
}
