import Reducing
import TodoAPI

/// A change that was asked for and is shown before it is made: an undo, a redo, a revert, or what an altered history comes to.
struct ProposedStep {
    /// What is proposed.
    enum Kind: Equatable {
        case undo
        case redo
        /// Back to how everything was at a moment.
        case revert(UInt64)
        /// To where a history without this record comes to.
        case leave(UInt64)
    }

    let kind: Kind
    /// Whether what has changed since is overwritten.
    var isForced = false
    /// What the daemon calls all that would come of it, as it is shown, so that it does nothing else; `nil`: one of before does not say.
    private(set) var outcome: String?
    /// Whether something else would come of it now than what was shown before.
    private(set) var hasChanged = false
    /// The key under which it is made, once it is.
    var key: String?
    /// The lines of what would change; `nil`: they are awaited.
    private(set) var lines: [String]?
    /// Whether there is something to make.
    private(set) var canBeMade = false
    /// Whether the lines are those of before, because they are asked for anew.
    private var isAged = false
    /// Whether it can be made by overwriting what has changed since.
    private(set) var canBeForced = false
    /// The last record when it was asked what would change: where more have come, that is asked again.
    private(set) var at: UInt64
    /// The steps that are taken back.
    private(set) var steps: [UInt64] = []
    /// What they did, once that is known.
    var deed: String?

    init(_ kind: Kind, at: UInt64) { (self.kind, self.at) = (kind, at) }

    /// Whether it can be made where the log ends with this record.
    ///
    /// What was shown is what is done, or nothing, if the daemon was told what was shown; else it must be of now.
    func canBeMade(at last: UInt64) -> Bool { canBeMade && key == nil && (outcome != nil || at == last) }

    /// Has what would change asked for anew, on the state behind a later record; until that is there nothing is made that was not shown.
    mutating func age(to last: UInt64) {
        (at, canBeForced, isAged) = (last, false, true)
        if outcome == nil { canBeMade = false }
    }

    /// The daemon would do something else by now than what was shown: that is asked for anew.
    mutating func refuseStale(at last: UInt64) {
        age(to: last)
        (key, canBeMade, hasChanged) = (nil, false, true)
    }

    /// What stands above it.
    var title: String {
        switch kind {
        case .undo: "Undo" + subject
        case .redo: "Redo" + subject
        case .revert(let moment): moment == 0 ? "Go back to the beginning" : "Go back to @\(moment)"
        case .leave(let record): "Lead the present to where it would be without @\(record)"
        }
    }

    /// What is said when it is done.
    var done: String {
        switch kind {
        case .undo: "Undone" + subject
        case .redo: "Redone" + subject
        case .revert(let moment): "Back at @\(moment)"
        case .leave(let record): "It is now as if @\(record) had not come"
        }
    }

    private var subject: String {
        if let deed { return ": " + deed }
        return steps.isEmpty ? "" : " of @" + steps.map(String.init).joined(separator: ", @")
    }

    /// The call: a dry run, or what it is about.
    func call() -> ScreenCall {
        let (isDry, key): (Bool?, String?) = key.map { (nil, $0) } ?? (true, nil)
        // It is tried out whatever comes of it.
        let outcome = key == nil ? nil : self.outcome
        let lane: ScreenCall.Lane = self.key == nil ? .questions : .quick
        let force: Bool? = isForced ? true : nil
        switch kind {
        // What was shown is what is done, even if something else was done meanwhile: to redo is to take back the steps that took something back.
        case .undo,
            .redo where !steps.isEmpty:
            let named = steps.isEmpty ? nil : steps
            return ScreenCall(
                UndoMethod.self, .init(steps: named, force: force, dryRun: isDry, key: key, expectedOutcome: outcome), over: lane)
        case .redo:
            return ScreenCall(
                RedoMethod.self, .init(force: force, dryRun: isDry, key: key, expectedOutcome: outcome), over: lane)
        case .revert(let moment):
            return ScreenCall(
                RevertMethod.self,
                .init(to: Point(sequence: moment), dryRun: isDry, key: key, expectedOutcome: outcome), over: lane)
        case .leave(let record):
            return ScreenCall(
                ApplyWhatIfMethod.self,
                .init(
                    alterations: [AlterationMessage(skip: record)], dryRun: isDry, key: key, expectedOutcome: outcome),
                over: lane)
        }
    }

    /// Takes what would change.
    mutating func take(_ reply: ScreenReply) {
        isAged = false
        do throws(Failure) {
            let (told, isNothing, outcome): ([String], Bool, String?)
            if case .revert = kind {
                let answer = try reply.output(RevertMethod.self)
                told = UndoLines(answer).details(isDryRun: true, paint: .none)
                (isNothing, outcome) = (answer.isNothing, answer.outcome)
            } else {
                let answer = try reply.output(UndoMethod.self)
                steps = answer.steps
                told = UndoLines(answer).details(isDryRun: true, paint: .none)
                (isNothing, outcome) = (answer.isNothing, answer.outcome)
            }
            if self.outcome != nil, self.outcome != outcome { hasChanged = true }
            self.outcome = outcome
            lines = isNothing ? ["Nothing would change."] : told
            canBeMade = !isNothing
        } catch {
            lines = Self.told(error)
            (canBeMade, canBeForced, outcome) = (false, false, nil)
            if case .changedSince = error.known { canBeForced = kind == .undo || kind == .redo }
        }
    }

    /// What went wrong, and what has changed since, as lines.
    static func told(_ failure: Failure) -> [String] {
        let all = UndoLines.telling(failure).message.split(separator: "\n").map(String.init)
        guard case .changedSince = failure.known else { return all.prefix(1).map { $0 } }
        return ["It changed since."] + all.dropFirst()
    }

    func lines(width: Int) -> PaneLines {
        var pane = PaneLines(width: width)
        pane.append(title + "?", .bold)
        if hasChanged, key == nil { pane.append("It has changed since you saw it: look again.", .warning) }
        guard let lines else {
            pane.append("…", .dim)
            return pane
        }
        if key != nil {
            pane.append("It is asked for; Esc closes this, and it is done all the same.", .dim)
            return pane
        }
        pane.heading(isAged && !canBeMade ? "ASKED AGAIN" : canBeMade ? "WOULD CHANGE" : "NOT NOW")
        pane.append(sentences: lines)
        pane.append(line: [])
        if isAged, !canBeMade {
            pane.append("More was done meanwhile: it is asked again …", .dim)
        } else if canBeMade {
            pane.append("Enter does it; Esc leaves everything as it is.", .good)
        } else if canBeForced {
            pane.append("F shows what it would be to overwrite that; Esc leaves everything as it is.", .dim)
        } else {
            pane.append("Esc closes this.", .dim)
        }
        return pane
    }
}
