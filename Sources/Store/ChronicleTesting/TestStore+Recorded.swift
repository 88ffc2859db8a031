public import Chronicle

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
        let asked = reduce(read, Context(time: time, origin: origin), at: place).map { "\($0.name) \($0.arguments)" }
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
