/// A feature whose state is one table of rows, and that undoes their changes with an event that holds a patch.
///
/// The generator adds the requirements for an action of the form `event restore(whole _ patch: TablePatch<Row>)`. `reduce` applies it:
/// `state.restore(patch)`.
public protocol RestoresRows: Feature {
    associatedtype Row: TableRow

    static func rows(of state: State) -> OrderedTable<Row>

    /// The event that patches the rows.
    static func restoring(_ patch: TablePatch<Row>) -> Action
}

extension RestoresRows {
    /// A patch of the rows, if they differ.
    public static func compensatingActions(from present: State, to wanted: State) throws(Refusal) -> [Action] {
        let patch = TablePatch(from: rows(of: present), to: rows(of: wanted))
        return patch.isEmpty ? [] : [restoring(patch)]
    }
}
