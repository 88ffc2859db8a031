public import Fields

/// Filters of todos that everybody knows by a name.
///
/// What a filter means is known to who reads it alone, at the moment at which it is used; here it is a text. A name stands for one view, and
/// names are the same when their bytes are.
public enum Views: Feature {
    /// There are no commands.
    public typealias Command = Never

    /// The bits of the fields of the state.
    private enum Field {
        static let items = ScopeSet(index: 0)
        static let nextID = ScopeSet(index: 1)
    }

    /// Gives a new view its id; one that is saved under a known name is changed instead.
    ///
    /// Refusals: `BadViewName`, `BadViewFilter`, `ViewTooLong`, `TooManyViews`, `UnknownID`, `FieldNotAllowed` (an id that only the daemon gives), `IDsExhausted`.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .save(var view):
            guard view.id == 0, view.origin == 0 else {
                throw Refusal("FieldNotAllowed", "a view gets its id and its origin when it is saved; leave them out")
            }
            try require(name: view.name)
            try require(filter: view.filter, sort: view.sort)
            if let old = state.view(named: view.name) {
                return try prepare(.change(old.id, filter: view.filter, sort: view.sort), state, context)
            }
            guard state.items.count < Limits.viewsMax else {
                throw Refusal("TooManyViews", "there are \(state.items.count) views, at most \(Limits.viewsMax) are allowed")
            }
            view.origin = UInt64(context.origin)
            let own = state.count(of: view.origin)
            // Half of what the others leave, so that some is always free.
            let share = (Limits.viewsMax - (state.items.count - own) + 1) / 2
            guard view.origin == 0 || own < share else {
                throw Refusal(
                    "TooManyViews", "uid \(view.origin) saved \(own) views, at most \(share) are allowed now: remove some of them"
                )
            }
            guard Limits.ids.contains(state.nextID) else {
                throw Refusal("IDsExhausted", "there are no ids left for one more view")
            }
            view.id = state.nextID
            return [.save(view)]

        case .change(let id, let filter, let sort):
            guard let old = state.items[id] else { throw unknown(id) }
            try require(filter: filter, sort: sort)
            let new = SavedView(id: id, name: old.name, filter: filter, sort: sort, origin: old.origin)
            return old == new ? [] : [action]

        case .remove(let id):
            guard state.items.contains(id) else { throw unknown(id) }
            return [action]

        case .restore:
            return [action]
        }
    }

    private static func unknown(_ id: UInt64) -> Refusal { Refusal("UnknownID", "there is no view \(id)") }

    private static func require(name: String) throws(Refusal) {
        guard Limits.allows(name: name) else {
            throw Refusal(
                "BadViewName",
                "the name of a view begins with a letter, goes on with letters, digits, '-', '_' and '.', and has at most \(Limits.nameBytesMax) bytes"
            )
        }
    }

    private static func require(filter: String, sort: String) throws(Refusal) {
        guard filter.utf8.count <= Limits.filterBytesMax else {
            throw Refusal(
                "ViewTooLong", "the filter has \(filter.utf8.count) bytes, at most \(Limits.filterBytesMax) are allowed")
        }
        guard sort.utf8.count <= Limits.sortBytesMax else {
            throw Refusal(
                "ViewTooLong", "what it is sorted by has \(sort.utf8.count) bytes, at most \(Limits.sortBytesMax) are allowed")
        }
        guard filter.unicodeScalars.allSatisfy(Limits.allows(inFilter:)) else {
            throw Refusal(
                "BadViewFilter", "a filter is one line of text, without control characters and those that turn its direction")
        }
        guard sort.utf8.allSatisfy(Limits.allows(inSort:)) else {
            throw Refusal("BadViewFilter", "a view is sorted by one word, of letters, digits and '-'")
        }
    }

    /// Applies a logged action; what doesn't fit the state changes nothing but `nextID`.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        switch action {
        case .save(let view):
            state.append(view)
        case .change(let id, let filter, let sort):
            state.items.update(id) { view in
                view.filter = filter
                view.sort = sort
            }
        case .remove(let id):
            state.raiseNextID(above: id)
            state.items.remove(id)
        case .restore(let patch):
            state.apply(patch)
        }
        return []
    }

    /// A fact for what takes something back.
    public static func nature(of action: Action) -> ActionNature {
        switch action {
        case .save, .change, .remove: .order
        case .restore: .fact
        }
    }

    /// All views, of whoever saves one: the one of its name is sought among them.
    public static func cost(of action: Action, in state: State) -> Int {
        if case .save = action { max(1, state.items.count) } else { 1 }
    }

    /// The id of a view that is new.
    public static func created(by action: Action) -> [UInt64] { if case .save(let view) = action { [view.id] } else { [] } }

    /// The fields that an action is about.
    public static func scopes(of action: Action) -> ScopeSet {
        switch action {
        case .save, .restore: [Field.items, Field.nextID]
        case .change: Field.items
        case .remove: [Field.items, Field.nextID]
        }
    }

    /// What a screen shows: how many views there are, and each with its name and filter, in the order in which they were saved.
    public static func viewParts(of state: State) -> ViewParts {
        ViewParts(["count": .int(Int64(state.items.count))], lists: [ViewList(state.items, at: "rows") { $0.value }])
    }

    /// Takes back what happened to each view; where the name of one that comes back stands for another by now, that is a conflict, and who
    /// insists gets the one that comes back.
    public static func takenBack(_ present: State, from after: State, to before: State) -> TakenBack<State> {
        var takenBack = present.takenBack(from: after, to: before)
        for view in takenBack.state.items.elements where !present.items.contains(view.id) {
            guard let other = takenBack.state.view(named: view.name, except: view.id) else { continue }
            takenBack.conflicts.append(Conflict("items[\(other.id)]", expected: nil, found: other.value))
            takenBack.state.items.remove(other.id)
        }
        return takenBack
    }

    /// Removals where views only leave, else a patch.
    public static func compensation(from present: State, to wanted: State) -> [Action] {
        let patch = TablePatch(from: present.items, to: wanted.items)
        return patch.placed.isEmpty ? patch.removed.reversed().map { .remove($0) } : [.restore(patch)]
    }

    /// The largest of everything.
    public enum Limits {
        /// Ids, so that every client's JSON keeps them and the one after exact.
        public static let ids = ElementID.range
        /// Views that can be saved.
        public static let viewsMax = 1_000
        /// UTF-8 bytes of a name; it has at least one.
        public static let nameBytesMax = 64
        /// UTF-8 bytes of a filter.
        public static let filterBytesMax = 2_048
        /// UTF-8 bytes of what it is sorted by.
        public static let sortBytesMax = 64

        static func allows(inSort byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }

        /// Judged by its scalars: of a character the first says what it looks like, and the others may be what nobody sees.
        static func allows(name: String) -> Bool {
            guard 1...nameBytesMax ~= name.utf8.count else { return false }
            var isBase = false
            for (index, scalar) in name.unicodeScalars.enumerated() {
                let properties = scalar.properties
                guard !properties.isDefaultIgnorableCodePoint else { return false }
                switch properties.generalCategory {
                case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
                    isBase = true
                // Only on a letter, and on one that has some already.
                case .nonspacingMark, .spacingMark:
                    guard isBase else { return false }
                case .decimalNumber:
                    guard index > 0 else { return false }
                    isBase = false
                default:
                    guard index > 0, scalar == "-" || scalar == "_" || scalar == "." else { return false }
                    isBase = false
                }
            }
            return true
        }

        /// Whether it may stand in a line of text that everybody reads in one order.
        static func allows(inFilter scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: !scalar.properties.isBidiControl
            }
        }
    }
}
