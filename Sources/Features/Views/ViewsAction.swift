public import Fields

extension Views {
    /// What can happen to the views: as dispatched, and, with the id filled in by `prepare`, as logged.
    public enum Action: Cased {
        /// Gives a filter a name; a view of that name is changed. Dispatched without an id; logged, of a new one, with it.
        case save(SavedView)
        /// Gives a view another filter, and what its todos are sorted by; nothing if it does not say.
        case change(UInt64, filter: String, sort: String = "")
        /// Takes one view away.
        case remove(UInt64)
        /// Puts views back, each with its id to its place, and takes others away: what happened is taken back. No client dispatches it.
        case restore(TablePatch<SavedView>)

        /// A case by its number, its fields as they begin.
        public static func blank(_ number: UInt32) -> Action? {
            switch number {
            case 1: .save(SavedView())
            case 2: .change(0, filter: "")
            case 3: .remove(0)
            case 4: .restore(TablePatch())
            default: nil
            }
        }

        /// The fields of each case.
        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            switch consume self {
            case .save(var view):
                visitor.choose(1, "save")
                // As dispatched it has no id.
                visitor.filledIn()
                try visitor.field(1, "id", &view.id)
                try visitor.field(2, "name", &view.name, .required)
                try visitor.field(3, "filter", &view.filter, .required)
                try visitor.field(4, "sort", &view.sort)
                visitor.filledIn()
                try visitor.field(5, "origin", &view.origin)
                return .save(view)
            case .change(var id, var filter, var sort):
                visitor.choose(2, "change")
                try visitor.field(1, "id", &id, .needed)
                try visitor.field(2, "filter", &filter, .required)
                try visitor.field(3, "sort", &sort)
                return .change(id, filter: filter, sort: sort)
            case .remove(var id):
                visitor.choose(3, "remove")
                try visitor.field(1, "id", &id, .needed)
                return .remove(id)
            case .restore(var patch):
                try visitor.whole(4, "restore", &patch)
                return .restore(patch)
            }
        }
    }
}
