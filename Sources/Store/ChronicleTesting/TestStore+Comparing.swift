public import Chronicle
import CustomDump
import IssueReporting

extension TestStore {
    /// - Returns: whether the action was accepted.
    func compare(
        _ prepared: Result<[App.Action], Refusal>, with logging: [App.Action]?, sent: App.Action, at place: IssuePlace
    ) -> Bool {
        let actions: [App.Action]
        do throws(Refusal) { actions = try prepared.get() } catch {
            place.report("This action was refused as \(error.name): \(error.message)\n\n" + Difference.list([sent]))
            return false
        }
        if let logging {
            guard actions != logging else { return true }
            place.report("Other actions were logged than expected:\n\n" + Difference.text(expected: logging, actual: actions))
        } else if exhaustivity.includes(scopes: App.scopes(of: sent), of: App.scopes), actions != [sent] {
            place.report(
                "Other actions were logged than the one sent; list them with `logging:`.\n\n"
                    + Difference.text(expected: [sent], actual: actions))
        }
        return true
    }

    func compare(
        from before: App.State, after action: App.Action, at place: IssuePlace, _ changes: ((inout App.State) throws -> Void)?
    ) {
        if exhaustivity != .on, !exhaustivity.isOff { return compareParts(from: before, after: action, at: place, changes) }
        var expected = exhaustivity == .on ? before : state
        do {
            try changes?(&expected)
        } catch {
            place.report("The closure that changes the state threw: \(error)")
            return
        }
        guard expected != state else { return }
        let title =
            changes == nil
            ? "The state changed, but the test does not describe the change, after:"
            : "The state is not as expected after:"
        place.report("\(title)\n\n\(Difference.list([action]))\n\n\(Difference.text(expected: expected, actual: state))")
    }

    /// Compares the exhaustive parts with the state before, and the rest with the state after.
    private func compareParts(
        from before: App.State, after action: App.Action, at place: IssuePlace, _ changes: ((inout App.State) throws -> Void)?
    ) {
        let unknown = exhaustivity.unknown(to: App.scopes)
        guard unknown.isEmpty else {
            return place.report(
                "There is no part named \(unknown.joined(separator: ", ")); there are \(App.scopes.joined(separator: ", ")).")
        }
        var (expected, settled) = (before, state)
        do {
            try changes?(&expected)
            try changes?(&settled)
        } catch {
            return place.report("The closure that changes the state threw: \(error)")
        }
        guard let missed = App.changes(from: expected, to: state, limit: .max),
            let wrong = App.changes(from: settled, to: state, limit: .max)
        else { return place.report("This feature does not report its changes, so its parts can't be distinguished.") }
        let unsaid = exhaustivity.split(missed).said + exhaustivity.split(wrong).free
        guard !unsaid.isEmpty else { return }
        let title =
            changes == nil
            ? "The state changed in an exhaustive part, but the test does not describe the change, after:"
            : "The state is not as expected after:"
        place.report(
            "\(title)\n\n\(Difference.list([action]))\n\n"
                + Difference.indented(DebugLines.lines(of: unsaid).joined(separator: "\n")) + "\n\n(- expected, + actual)")
    }

    func reportRest(_ when: String, at place: IssuePlace) {
        guard !exhaustivity.isOff else { return }
        let returned = returned.filter { exhaustivity.includes($0.command) }
        let awaited = awaited.map(\.command).filter { exhaustivity.includes($0) }
        if !returned.isEmpty {
            place.report(
                "\(when) \(counted(returned.count)) not expected; add `expect`:\n\n\(Difference.list(returned.map(\.command)))"
            )
        }
        if !awaited.isEmpty {
            place.report(
                """
                \(when) \(counted(awaited.count)) not answered; use `receive`, `run`, `fail`, `cancel` or `close`:

                \(Difference.list(awaited))
                """)
        }
        let sleepers = isFinished ? [] : clock.dues
        if !sleepers.isEmpty {
            let rest = sleepers.map { "    due in \(clock.now.duration(to: $0))" }.joined(separator: "\n")
            place.report("\(when) \(sleepers.count == 1 ? "1 task is" : "\(sleepers.count) tasks are") asleep:\n\n\(rest)")
        }
    }

    private func counted(_ commands: Int) -> String { commands == 1 ? "1 command was" : "\(commands) commands were" }
}

enum Difference {
    /// Different values with equal descriptions are reported as such, because an empty diff would look like a success.
    static func text<Subject>(expected: Subject, actual: Subject) -> String {
        guard let difference = diff(expected, actual) else {
            return "Both print the same, but they are not equal:\n\n" + indented(dump(actual))
        }
        return indented(difference) + "\n\n(- expected, + actual)"
    }

    static func dump<Subject>(_ value: Subject) -> String { String(customDumping: value) }

    static func list<Subject>(_ values: [Subject]) -> String { values.map { indented(dump($0)) }.joined(separator: "\n") }

    static func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { "    " + $0 }.joined(separator: "\n")
    }
}

public struct Exhaustivity: Sendable, Equatable {
    /// The parts that must be asserted completely; `nil`: all.
    let parts: [String]?

    /// Everything must be asserted: each change of the state, each logged action, each command and its end.
    public static let on = Exhaustivity(parts: nil)
    /// Only assertions that the test makes are checked; for long tests about one part.
    public static let off = Exhaustivity(parts: [])

    /// Some parts must be asserted completely; for a feature among its siblings.
    ///
    /// A part is a scope of the feature, or a field below one: `todos`, `todos.items`. It includes the state changes there, the actions of
    /// its scopes, and the commands that begin with its feature's name. Closures that describe a change assign plain values outside these
    /// parts, as with `off`.
    public static func off(except parts: String...) -> Exhaustivity { Exhaustivity(parts: parts) }

    var isOff: Bool { parts?.isEmpty ?? false }

    func includes(_ command: some NamedCommand) -> Bool {
        guard let parts else { return true }
        let feature = command.name.prefix { $0 != "." }
        return parts.contains { $0.prefix { $0 != "." } == feature }
    }

    /// Whether an action must be asserted, given its scopes.
    func includes(scopes: ScopeSet, of names: [String]) -> Bool {
        guard let parts else { return true }
        return names.enumerated().contains { index, name in
            scopes.contains(ScopeSet(index: index)) && parts.contains { Self.overlap($0, name) }
        }
    }

    func split(_ changes: [Change]) -> (said: [Change], free: [Change]) {
        guard let parts else { return (changes, []) }
        let isSaid = { (change: Change) in change.places.contains { place in parts.contains { Self.covers($0, place) } } }
        return (changes.filter(isSaid), changes.filter { !isSaid($0) })
    }

    /// The parts that no scope contains, because they are misspelt.
    func unknown(to scopes: [String]) -> [String] { (parts ?? []).filter { part in !scopes.contains { Self.covers($0, part) } } }

    static func covers(_ part: String, _ place: String) -> Bool { place == part || place.hasPrefix(part + ".") }
    private static func overlap(_ left: String, _ right: String) -> Bool { covers(left, right) || covers(right, left) }
}

extension Change {
    var places: [String] {
        guard kind == .set, case .record(let fields)? = new ?? old else { return [path] }
        return fields.map { path.isEmpty ? $0.name : path + "." + $0.name }
    }
}

struct IssuePlace: Sendable {
    let fileID: StaticString
    let filePath: StaticString
    let line: UInt
    let column: UInt

    func report(_ message: String) { reportIssue(message, fileID: fileID, filePath: filePath, line: line, column: column) }
}

extension TestStore where App.State: ValueConvertible, App.Action: ValueConvertible {
    /// Creates a store with a state in the format of `todoctl state --json`.
    /// - Throws: if the text is no JSON, or no state of the app.
    public convenience init(
        recorded state: String, of app: App.Type = App.self,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) throws {
        self.init(
            try App.State(Value(parsing: Array(state.utf8))), of: app,
            fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// Folds a logged record and asserts its changes and commands; `todoctl export --as-test` generates such calls.
    ///
    /// Only the reducer runs, because logged actions are already prepared. The ends of commands are separate records.
    /// - Parameters:
    ///   - sequence: the sequence of the record, for reference.
    ///   - action: as JSON, with one key per level.
    ///   - time: of the record, in microseconds since 1970.
    ///   - commands: the requested commands, each as name and arguments in JSON: `todos.load {}`.
    ///   - lines: the changes as `DebugLines`; `nil` if they were too many to generate.
    public func fold(
        _ sequence: UInt64, _ action: String, time: Int64, origin: UInt32, asking commands: [String] = [],
        changing lines: [String]? = [],
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        let read: App.Action
        do {
            read = try App.Action(Value(parsing: Array(action.utf8)))
        } catch {
            return place.report("Record \(sequence) holds no action of this app: \(error)")
        }
        let before = state
        let asked = replay(read, time: time, origin: origin, at: place).map { "\($0.name) \($0.arguments)" }
        if asked != commands {
            place.report(
                "Record \(sequence) requests other commands than it did:\n\n"
                    + Difference.text(expected: commands, actual: asked))
        }
        guard let lines else { return }
        let changed = DebugLines.lines(of: App.changes(from: before, to: state, limit: DebugLines.changesMax))
        if changed != lines {
            place.report(
                "Record \(sequence) makes other changes than it did:\n\n" + Difference.text(expected: lines, actual: changed))
        }
    }
}
