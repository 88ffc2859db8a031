public import Chronicle

extension Views {
    /// Assigns the ID of a new view; saving a view under an existing name changes the existing view.
    public static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        switch action {
        case .save(var view):
            guard view.id == 0, view.origin == 0 else {
                throw refusal(.fieldNotAllowed, "the daemon sets the id and the origin of a view; omit them")
            }
            try require(name: view.name)
            try require(filter: view.filter, sort: view.sort)
            if let old = state.view(named: view.name) {
                return try prepare(.change(old.id, filter: view.filter, sort: view.sort), state, context)
            }
            guard state.items.count < Limits.viewsMax else {
                throw refusal(.tooManyViews, "there are \(state.items.count) views, at most \(Limits.viewsMax) are allowed")
            }
            view.origin = UInt64(context.origin)
            let own = state.count(of: view.origin)
            // A user may have at most half of the views that other users leave free, so that some are always left.
            let share = (Limits.viewsMax - (state.items.count - own) + 1) / 2
            guard view.origin == 0 || own < share else {
                throw refusal(
                    .tooManyViews, "uid \(view.origin) saved \(own) views, at most \(share) are allowed now: remove some of them"
                )
            }
            guard ElementID.range.contains(state.nextID) else {
                throw refusal(.idsExhausted, "there are no ids left for one more view")
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
        case .restore: return [action]
        }
    }

    private static func unknown(_ id: UInt64) -> Refusal { refusal(.unknownID, "there is no view \(id)") }

    private static func require(name: String) throws(Refusal) {
        guard Limits.allows(name: name) else {
            throw refusal(
                .badViewName,
                "the name of a view begins with a letter, goes on with letters, digits, '-', '_' and '.', and has at most \(Limits.nameBytesMax) bytes"
            )
        }
    }

    private static func require(filter: String, sort: String) throws(Refusal) {
        for (text, max, noun) in [(filter, Limits.filterBytesMax, "filter"), (sort, Limits.sortBytesMax, "sort order")]
        where text.utf8.count > max {
            throw refusal(.viewTooLong, "the \(noun) has \(text.utf8.count) bytes, at most \(max) are allowed")
        }
        guard filter.unicodeScalars.allSatisfy(Limits.allows(inFilter:)) else {
            throw refusal(
                .badViewFilter, "a filter is one line without control characters or characters that change the text direction")
        }
        guard sort.unicodeScalars.allSatisfy({ $0.isASCII && ($0 == "-" || $0.properties.isAlphabetic || "0"..."9" ~= $0) })
        else {
            throw refusal(.badViewFilter, "the sort order is one word of letters, digits and '-'")
        }
    }

    /// Applies a logged action; an action that doesn't fit the state changes nothing but `nextID`.
    public static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        switch action {
        case .save(let view): state.append(view)
        case .change(let id, let filter, let sort):
            state.items.update(id) { view in
                view.filter = filter
                view.sort = sort
            }
        case .remove(let id):
            state.raiseNextID(above: id)
            state.items.remove(id)
        case .restore(let patch): state.restore(patch)
        }
        return []
    }

    /// The number of views for a save, which searches all names.
    public static func cost(of action: Action, in state: State) -> Int {
        if case .save = action { max(1, state.items.count) } else { 1 }
    }

    public static func viewParts(of state: State) -> ViewParts {
        ViewParts(["count": .int(Int64(state.items.count))], lists: [ViewList(state.items, at: "rows") { $0.value }])
    }

    /// Reverts the changes of each view; if another view has the name of a restored one, that is a conflict, and forcing removes the other
    /// view.
    public static func reverted(_ present: State, from after: State, to before: State) -> RevertResult<State> {
        var reverted = present.reverted(from: after, to: before)
        for view in reverted.state.items.elements where !present.items.contains(view.id) {
            guard let other = reverted.state.view(named: view.name, except: view.id) else { continue }
            reverted.conflicts.append(Conflict("items[\(other.id)]", expected: nil, found: other.value))
            reverted.state.items.remove(other.id)
        }
        return reverted
    }

    public static func compensatingActions(from present: State, to wanted: State) -> [Action] {
        let patch = TablePatch(from: present.items, to: wanted.items)
        return patch.placed.isEmpty ? patch.removed.reversed().map { .remove($0) } : [.restore(patch)]
    }

    enum Limits {
        static let viewsMax = 1_000
        static let nameBytesMax = 64
        static let filterBytesMax = 2_048
        static let sortBytesMax = 64

        /// Checks each scalar, because a character's later scalars may be invisible.
        static func allows(name: String) -> Bool {
            guard 1...nameBytesMax ~= name.utf8.count else { return false }
            var isBase = false
            for (index, scalar) in name.unicodeScalars.enumerated() {
                let properties = scalar.properties
                guard !properties.isDefaultIgnorableCodePoint else { return false }
                switch properties.generalCategory {
                case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
                    isBase = true
                // Only after a letter or its other marks.
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

        /// Whether the scalar has no effect on the lines or the direction of a text.
        static func allows(inFilter scalar: Unicode.Scalar) -> Bool {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            default: !scalar.properties.isBidiControl
            }
        }
    }
}

extension Views.State {
    public func view(named name: String) -> SavedView? { view(named: name, except: 0) }

    func view(named name: String, except id: UInt64) -> SavedView? {
        var found: SavedView?
        items.forEach { _, view in
            if view.id != id, view.name.hasSameBytes(as: name) { found = view }
            return found == nil
        }
        return found
    }

    func count(of origin: UInt64) -> Int {
        var count = 0
        items.forEachByID { _, view in
            count += view.origin == origin ? 1 : 0
            return true
        }
        return count
    }
}
