public import Fields

extension Alerts {
    /// What can happen to the alerts: as dispatched, and, with the id filled in by `prepare`, as logged.
    public enum Action: Cased {
        /// A fact: something happened that a person should know. Dispatched without an id; logged with it.
        case raise(String, id: UInt64 = 0)
        /// Takes one alert away.
        case dismiss(UInt64)
        /// Takes all alerts away.
        case dismissAll
        /// Puts alerts back, each with its id to its place, and takes others away: what happened is taken back. No client dispatches it.
        case restore(TablePatch<Alert>)

        /// A case by its number, its fields as they begin.
        public static func blank(_ number: UInt32) -> Action? {
            switch number {
            case 1: .raise("")
            case 2: .dismiss(0)
            case 3: .dismissAll
            case 4: .restore(TablePatch())
            default: nil
            }
        }

        /// The fields of each case.
        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            switch consume self {
            case .raise(var text, var id):
                visitor.choose(1, "raise")
                try visitor.field(1, "id", &id)
                try visitor.field(2, "text", &text, .required)
                return .raise(text, id: id)
            case .dismiss(var id):
                visitor.choose(2, "dismiss")
                try visitor.field(1, "id", &id, .needed)
                return .dismiss(id)
            case .dismissAll:
                visitor.choose(3, "dismissAll")
                return .dismissAll
            case .restore(var patch):
                try visitor.whole(4, "restore", &patch)
                return .restore(patch)
            }
        }
    }
}
