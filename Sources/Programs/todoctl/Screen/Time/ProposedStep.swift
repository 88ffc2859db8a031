import Chronicle
import TodoAPI

/// A change that is previewed before it is made: an undo, a redo, a revert, or the result of a what-if history.
struct ProposedStep {
    enum Kind: Equatable {
        case undo, redo
        case revert(UInt64)
        case leave(UInt64)
    }

    let kind: Kind
    var isForced = false
    /// The daemon's digest of the previewed result, so that it makes no other change; `nil` if the daemon did not send one.
    private(set) var outcome: String?
    private(set) var hasChanged = false
    var key: String?
    private(set) var lines: [String]?
    private(set) var canBeMade = false
    /// Whether the lines are outdated and were requested again.
    private var isAged = false
    /// Whether the change is possible if later changes are overwritten.
    private(set) var canBeForced = false
    /// The last record when the preview was requested; newer records make it outdated.
    private(set) var at: UInt64
    private(set) var steps: [UInt64] = []
    var summary: String?

    init(_ kind: Kind, at: UInt64) { (self.kind, self.at) = (kind, at) }

    /// Whether the change can be made while the log ends with this record.
    ///
    /// With a digest the daemon makes exactly the previewed change or none. Without one the preview must be current.
    func canBeMade(at last: UInt64) -> Bool { canBeMade && key == nil && (outcome != nil || at == last) }

    /// Requests the preview again for a later record.
    ///
    /// Until it arrives, no change is made that was not previewed.
    mutating func age(to last: UInt64) {
        (at, canBeForced, isAged) = (last, false, true)
        if outcome == nil { canBeMade = false }
    }

    mutating func refuseStale(at last: UInt64) {
        age(to: last)
        (key, canBeMade, hasChanged) = (nil, false, true)
    }

    var title: String {
        switch kind {
        case .undo: "Undo" + subject
        case .redo: "Redo" + subject
        case .revert(let moment): moment == 0 ? "Go back to the beginning" : "Go back to @\(moment)"
        case .leave(let record): "Apply the history without @\(record)"
        }
    }

    var done: String {
        switch kind {
        case .undo: "Undone" + subject
        case .redo: "Redone" + subject
        case .revert(let moment): "Back at @\(moment)"
        case .leave(let record): "Applied the history without @\(record)"
        }
    }

    private var subject: String {
        if let summary { return ": " + summary }
        return steps.isEmpty ? "" : " of @" + steps.map(String.init).joined(separator: ", @")
    }

    func call() -> ScreenCall {
        let (isDry, key): (Bool?, String?) = key.map { (nil, $0) } ?? (true, nil)
        // A dry run accepts any result.
        let outcome = key == nil ? nil : self.outcome
        let lane: ScreenCall.Lane = self.key == nil ? .questions : .quick
        let force: Bool? = isForced ? true : nil
        switch kind {
        // Naming the steps makes the previewed change, even after other changes: a redo undoes the undos that were shown.
        case .undo, .redo:
            let (named, redo): ([UInt64]?, Bool?) = steps.isEmpty ? (nil, kind == .redo ? true : nil) : (steps, nil)
            return ScreenCall(
                UndoMethod.self,
                .init(steps: named, redo: redo, force: force, dryRun: isDry, key: key, expectedOutcome: outcome), over: lane)
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

    mutating func take(_ reply: ScreenReply) {
        isAged = false
        do throws(Failure) {
            let answer = try reply.output(UndoMethod.self)
            steps = answer.steps
            if outcome != nil, outcome != answer.outcome { hasChanged = true }
            outcome = answer.outcome
            let told = UndoLines(answer).details(isDryRun: true, paint: .none)
            lines = answer.isNothing ? ["Nothing would change."] : told
            canBeMade = !answer.isNothing
        } catch {
            lines = Self.told(error)
            (canBeMade, canBeForced, outcome) = (false, false, nil)
            if case .changedSince = error.known { canBeForced = kind == .undo || kind == .redo }
        }
    }

    /// The failure and the conflicting changes, as lines.
    static func told(_ failure: Failure) -> [String] {
        let all = UndoLines.telling(failure).message.split(separator: "\n").map(String.init)
        guard case .changedSince = failure.known else { return all.prefix(1).map { $0 } }
        return ["It changed since."] + all.dropFirst()
    }

    func lines(width: Int) -> PaneLines {
        var pane = PaneLines(width: width)
        pane.append(title + "?", .bold)
        if hasChanged, key == nil { pane.append("It has changed since you saw it: check again.", .warning) }
        guard let lines else {
            pane.append("…", .dim)
            return pane
        }
        if key != nil {
            pane.append("Requested; Esc closes this but does not cancel it.", .dim)
            return pane
        }
        pane.heading(isAged && !canBeMade ? "ASKED AGAIN" : canBeMade ? "WOULD CHANGE" : "NOT NOW")
        pane.append(sentences: lines)
        pane.append(line: [])
        if isAged, !canBeMade {
            pane.append("The log has changed: updating the preview …", .dim)
        } else if canBeMade {
            pane.append("Enter does it; Esc changes nothing.", .good)
        } else if canBeForced {
            pane.append("F previews overwriting these changes; Esc changes nothing.", .dim)
        } else {
            pane.append("Esc closes this.", .dim)
        }
        return pane
    }
}
