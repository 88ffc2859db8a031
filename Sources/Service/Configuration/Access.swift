/// What a user may do at the socket; each includes what is above it.
enum Access: Int, Sendable, Comparable, CaseIterable {
    /// Nothing; every call is refused.
    case none
    /// Read the state and the log.
    case read
    /// Read, and dispatch actions.
    case readWrite
    /// All of that, and change what was recorded and how the daemon works.
    case administer

    /// As it stands in the configuration.
    var letters: String {
        switch self {
        case .none: ""
        case .read: "r"
        case .readWrite: "rw"
        case .administer: "rwa"
        }
    }

    /// Reads `r`, `rw` or `rwa`; nil for anything else.
    init?(letters: String) {
        guard !letters.isEmpty, let access = Self.allCases.first(where: { $0.letters == letters }) else { return nil }
        self = access
    }

    /// Orders by what is allowed: the smaller allows less.
    static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }
}
