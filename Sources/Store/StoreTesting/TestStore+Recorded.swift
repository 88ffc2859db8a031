public import Reducing

extension TestStore where App.State: ValueConvertible, App.Action: ValueConvertible {
    /// Makes a store with a state of a real history, in the form that `todoctl state --json` prints.
    ///
    /// - Throws: where the text is no JSON, or no state of the app.
    public convenience init(
        recorded state: String, of app: App.Type = App.self,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) throws {
        self.init(
            try App.State(Value(parsing: Array(state.utf8))), of: app,
            fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// Folds a record as a log has it, and asserts what it changes and asks for; `todoctl export --as-test` writes such calls.
    ///
    /// What the log has is prepared already, so the reducer alone is asked. Nothing is left open by it: the ends of commands are records
    /// of their own.
    ///
    /// - Parameters:
    ///   - sequence: of the record, to find it again.
    ///   - action: as JSON, with one key per level.
    ///   - time: of the record, in microseconds since 1970.
    ///   - origin: the uid for whom it was done.
    ///   - commands: the commands that it asks for, each its name and its arguments as JSON: `todos.load {}`.
    ///   - lines: what it changes, in the lines of `DebugLines`; `nil`: more than was written down.
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
        let asked = reduce(read, Context(time: time, origin: origin), at: place).map { "\($0.name) \($0.arguments)" }
        if asked != commands {
            place.report(
                "Record \(sequence) asks for other commands than it did:\n\n"
                    + Difference.text(expected: commands, actual: asked))
        }
        guard let lines else { return }
        let changed = DebugLines.lines(of: App.changes(from: before, to: state, limit: DebugLines.changesMax))
        if changed != lines {
            place.report(
                "Record \(sequence) changes something else than it did:\n\n" + Difference.text(expected: lines, actual: changed))
        }
    }
}
