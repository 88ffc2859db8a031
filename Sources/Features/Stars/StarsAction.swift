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

        /// One of each case.
        public static let blanks: [Action?] = [
            .press(""), .staring(""), .unstaring(""), .starred(""), .unstarred(""), .failed("", reason: ""),
        ]

        /// The fields of each case.
        public mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            var button = StarID(id)
            switch self {
            case .press:
                visitor.choose(1, "press")
                try visitor.field(1, "id", &button, .needed)
                self = .press(button.text)
            case .staring:
                visitor.choose(2, "staring")
                try visitor.field(1, "id", &button, .needed)
                self = .staring(button.text)
            case .unstaring:
                visitor.choose(3, "unstaring")
                try visitor.field(1, "id", &button, .needed)
                self = .unstaring(button.text)
            case .starred:
                visitor.choose(4, "starred")
                try visitor.field(1, "id", &button, .needed)
                self = .starred(button.text)
            case .unstarred:
                visitor.choose(5, "unstarred")
                try visitor.field(1, "id", &button, .needed)
                self = .unstarred(button.text)
            case .failed(_, var reason):
                visitor.choose(6, "failed")
                try visitor.field(1, "id", &button, .needed)
                try visitor.field(2, "reason", &reason, .required)
                self = .failed(button.text, reason: reason)
            }
        }
    }
}
