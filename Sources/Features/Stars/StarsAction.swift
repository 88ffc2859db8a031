public import Fields

extension Stars {
    /// What can happen to a star button, which is named by its id.
    public enum Action: Cased {
        /// Presses the button; logged as `staring` or `unstaring`, and not at all during a request.
        case press(String)
        /// Gives a star; only where there is none.
        case staring(String)
        /// Takes the star back; only where there is one.
        case unstaring(String)
        /// A fact: the star was given.
        case starred(String)
        /// A fact: the star was taken back.
        case unstarred(String)
        /// A fact: the request failed; why, as a sentence. The button shows again what it showed before.
        case failed(String, reason: String)

        /// Which button.
        public var id: String {
            switch self {
            case .press(let id), .staring(let id), .unstaring(let id), .starred(let id), .unstarred(let id), .failed(let id, _):
                id
            }
        }

        /// A case by its number, its fields as they begin.
        public static func blank(_ number: UInt32) -> Action? {
            switch number {
            case 1: .press("")
            case 2: .staring("")
            case 3: .unstaring("")
            case 4: .starred("")
            case 5: .unstarred("")
            case 6: .failed("", reason: "")
            default: nil
            }
        }

        /// The fields of each case.
        public consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            let id = id
            switch consume self {
            case .press: return .press(try visitor.choose(1, "press", button: id))
            case .staring: return .staring(try visitor.choose(2, "staring", button: id))
            case .unstaring: return .unstaring(try visitor.choose(3, "unstaring", button: id))
            case .starred: return .starred(try visitor.choose(4, "starred", button: id))
            case .unstarred: return .unstarred(try visitor.choose(5, "unstarred", button: id))
            case .failed(_, var reason):
                let id = try visitor.choose(6, "failed", button: id)
                try visitor.field(2, "reason", &reason, .required)
                return .failed(id, reason: reason)
            }
        }
    }
}

extension Stars {
    /// Facts for what a request brought.
    public static func nature(of action: Action) -> ActionNature {
        switch action {
        case .press, .staring, .unstaring: .order
        case .starred, .unstarred, .failed: .fact
        }
    }

    /// What a fact says that failed, for an alert.
    public static func failure(toldBy action: Action) -> String? {
        if case .failed(let id, let reason) = action { "the star of \(id) could not be changed: \(reason)" } else { nil }
    }

    /// The buttons.
    public static func scopes(of action: Action) -> ScopeSet { ScopeSet(index: 0) }
}
