import TodoAPI
import Varlink

/// What came of taking something back, as lines for a person.
enum UndoLines {
    /// `Took back step 57.`, what changed, what is asked for now, and what had happened out there already.
    static func lines(_ answer: [JSON.Member], done: String, wouldBeDone: String, isDryRun: Bool, paint: Paint) -> [String] {
        let steps = (answer["steps"]?.array ?? []).compactMap(\.int).map(String.init)
        let named = (steps.count == 1 ? "step " : "steps ") + steps.joined(separator: ", ")
        let known = answer["duplicate"]?.bool == true ? " This key was known." : ""
        return ["\(isDryRun ? wouldBeDone : done) \(named).\(known)"] + details(answer, isDryRun: isDryRun, paint: paint)
    }

    /// What changed, what is asked for now, and what had happened out there already.
    static func details(_ answer: [JSON.Member], isDryRun: Bool, paint: Paint) -> [String] {
        var lines = (answer["changes"]?.array ?? []).map { ChangeLines.line($0, paint: paint) }
        // Who asks again with a known key is not told them again.
        if answer["changes"] == nil, answer["duplicate"]?.bool != true { lines.append("more changes than can be shown") }
        for command in answer["commands"]?.array ?? [] {
            lines.append("\(isDryRun ? "would ask for" : "asked for") \(name(command))")
        }
        if let count = answer["commandsLeftOut"]?.int {
            lines.append("\(isDryRun ? "would ask for" : "asked for") \(more(count, "command"))")
        }
        for effect in answer["effects"]?.array ?? [] {
            let what = name(effect["command"] ?? .null)
            lines.append(
                effect["certain"]?.bool == true
                    ? "\(what) was done already" : "\(what) had begun and was cancelled; it may have been done")
        }
        if let count = answer["effectsLeftOut"]?.int {
            lines.append("and \(more(count, "command")) that had begun, or came to an end")
        }
        return lines
    }

    private static func more(_ count: Int64, _ what: String) -> String {
        "\(Digits.grouped(Int(clamping: count))) more \(what)\(count == 1 ? "" : "s")"
    }

    /// Adds to a failure what has changed since.
    static func telling(_ failure: Failure) -> Failure {
        guard failure.error?.hasSuffix(".ChangedSince") == true else { return failure }
        var failure = failure
        let conflicts = failure.parameters.first { $0.name == "conflicts" }?.value.array ?? []
        var lines = conflicts.map { conflict in
            let path = Visible.text(conflict["path"]?.string ?? "")
            let name = path.split(separator: ".").last.map(String.init)
            return
                "  \(path): \(text(conflict["expected"], of: name)) was expected, \(text(conflict["found"], of: name)) is there"
        }
        if let count = failure.parameters.first(where: { $0.name == "leftOut" })?.value.int {
            // Behind so many it is not looked for more.
            let isWhole = Int64(conflicts.count) + count < APIError.conflictsFoundMax
            lines.append("  and at \(more(count, "place"))\(isWhole ? "" : " at least")")
        }
        failure.message = (["It has changed since, so nothing was done; --force overwrites it."] + lines).joined(separator: "\n")
        return failure
    }

    private static func name(_ command: JSON) -> String {
        let arguments = command["arguments"]?.object ?? []
        let name = Visible.text(command["name"]?.string ?? "")
        return arguments.isEmpty ? name : "\(name) \(Outline.compact(.object(arguments)))"
    }

    private static func text(_ value: JSON?, of name: String?) -> String {
        guard let value else { return "nothing" }
        if let members = value.object, members.count == 1, let only = members.first, only.name == "value" {
            return Outline.compact(only.value, of: name)
        }
        return value["title"]?.string.map(Visible.text) ?? Outline.compact(value)
    }
}
