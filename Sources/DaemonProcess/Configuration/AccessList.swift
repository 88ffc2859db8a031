/// Who may do what, judged by the uid that the kernel says the peer has.
public struct AccessList: Sendable, Equatable {
    /// A user that the configuration names.
    public struct Entry: Sendable, Equatable {
        /// The name as written.
        public var name: String
        /// Its uid.
        public var uid: UInt32
        /// What it may do.
        public var access: Access

        /// Combines a user with what it may do.
        public init(name: String, uid: UInt32, access: Access) {
            self.name = name
            self.uid = uid
            self.access = access
        }
    }

    /// Why a list can't be read, as a sentence.
    struct Mistake: Error, Equatable {
        var message: String
    }

    /// The uid that the kernel shows for a peer it has no number for, as in a user namespace; it can be anybody.
    public static let overflowUID: UInt32 = 65534

    /// The users; empty: whoever the mode of the socket lets in.
    public private(set) var entries: [Entry]
    /// The only user served, in a user's own unit.
    public private(set) var soleUID: UInt32?

    /// Takes the users, each once, and the only user served if there is one.
    public init(_ entries: [Entry] = [], soleUID: UInt32? = nil) {
        self.entries = entries
        self.soleUID = soleUID
    }

    /// What a peer may do.
    ///
    /// The superuser is always served, except where only one user is.
    public func access(of uid: UInt32) -> Access {
        if uid == Self.overflowUID { return .none }
        if let soleUID {
            guard uid == soleUID else { return .none }
        } else if uid == 0 {
            return .readWrite
        }
        if entries.isEmpty { return .readWrite }
        return entries.first { $0.uid == uid }?.access ?? .none
    }

    /// The list as it stands in the configuration: `alice:rw,bob:r`.
    public var text: String {
        entries.map { "\($0.name):\($0.access == .readWrite ? "rw" : "r")" }.joined(separator: ",")
    }

    /// Reads a list such as `alice:rw,bob:r`; a name that is no user but a number stands for that uid.
    init(parsing text: String, soleUID: UInt32?, uidNamed: (String) -> UInt32?) throws(Mistake) {
        var entries: [Entry] = []
        for part in text.split(separator: ",") {
            let words = part.split(separator: ":", omittingEmptySubsequences: false).map(\.withoutOuterBlanks)
            guard words.count == 2, !words[0].isEmpty, let access = Self.access(words[1]) else {
                throw Mistake(message: "“\(part.withoutOuterBlanks)” is not USER:r or USER:rw")
            }
            guard let uid = uidNamed(words[0]) ?? UInt32(words[0]) else {
                throw Mistake(message: "there is no user “\(words[0])”")
            }
            guard uid != Self.overflowUID else {
                throw Mistake(message: "“\(words[0])” stands for users that are not known here, who are never let in")
            }
            guard !entries.contains(where: { $0.uid == uid }) else {
                throw Mistake(message: "“\(words[0])” is named twice")
            }
            entries.append(Entry(name: words[0], uid: uid, access: access))
        }
        self.init(entries, soleUID: soleUID)
    }

    private static func access(_ word: String) -> Access? {
        switch word {
        case "r": .read
        case "rw": .readWrite
        default: nil
        }
    }
}
