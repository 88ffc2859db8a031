import Glibc

/// Decides the access of a peer by the uid that the kernel reports.
package struct AccessList: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        /// The name as written; that of a group begins with `@`.
        package var name: String
        var uids: Set<UInt32>
        package var access: Access

        var isGroup: Bool { name.hasPrefix("@") }
    }

    /// The uid that the kernel reports for an unmapped peer, as in a user namespace; it may be any user.
    static let overflowUID: UInt32 = 65534

    /// The users and groups; empty: the mode of the socket decides.
    let entries: [Entry]
    let owner: UInt32?
    /// The only user served, in a user's own unit.
    let soleUID: UInt32?

    private let granted: [UInt32: Access]

    /// Removes duplicates.
    package init(_ entries: [Entry] = [], owner: UInt32? = nil, soleUID: UInt32? = nil) {
        self.entries = entries
        self.owner = owner
        self.soleUID = soleUID
        var granted: [UInt32: Access] = [:]
        for entry in entries where entry.isGroup {
            for uid in entry.uids { granted[uid] = max(granted[uid] ?? .none, entry.access) }
        }
        for entry in entries where !entry.isGroup {
            for uid in entry.uids { granted[uid] = entry.access }
        }
        self.granted = granted
    }

    /// The superuser and the daemon's user have full access, except if only one user is served.
    ///
    /// A user entry overrides group entries; of several groups, the most permissive one counts. Without entries, all users may read and
    /// write, and only the superuser and the daemon's user may administer.
    package func access(of uid: UInt32) -> Access {
        if uid == Self.overflowUID { return .none }
        if let soleUID { return uid == soleUID ? .administer : .none }
        if uid == 0 || uid == owner { return .administer }
        if entries.isEmpty { return .readWrite }
        return granted[uid] ?? .none
    }

    /// The list in configuration syntax: `alice:rwa,@staff:r`.
    package var text: String { entries.map { "\($0.name):\($0.access.letters)" }.joined(separator: ",") }

    /// Parses a list such as `alice:rwa,@staff:r`; a number that is no user or group name is a uid or gid.
    package init(parsing text: String, owner: UInt32?, soleUID: UInt32?, accounts: Accounts) throws(SettingMistake) {
        var entries: [Entry] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: ":", omittingEmptySubsequences: false).map(\.withoutOuterBlanks)
            guard words.count == 2, !words[0].isEmpty, let access = Access(letters: words[1]) else {
                throw SettingMistake("“\(part.withoutOuterBlanks)” is not USER or @GROUP with :r, :rw or :rwa")
            }
            let entry = Entry(name: words[0], uids: try Self.uids(words[0], accounts), access: access)
            guard !entries.contains(where: { $0.isGroup == entry.isGroup && ($0.name == entry.name || $0.isUser(of: entry)) })
            else { throw SettingMistake("“\(words[0])” is named twice") }
            entries.append(entry)
        }
        self.init(entries, owner: owner, soleUID: soleUID)
    }

    private static func uids(_ name: String, _ accounts: Accounts) throws(SettingMistake) -> Set<UInt32> {
        if name.hasPrefix("@") {
            guard let members = accounts.members(String(name.dropFirst())) else {
                throw SettingMistake("there is no group “\(name.dropFirst())”")
            }
            return members
        }
        guard let uid = accounts.uid(name) ?? UInt32(name) else { throw SettingMistake("there is no user “\(name)”") }
        guard uid != overflowUID else {
            throw SettingMistake("“\(name)” stands for unknown users, who never get access")
        }
        return [uid]
    }
}

extension AccessList.Entry {
    fileprivate func isUser(of other: Self) -> Bool { !isGroup && uids == other.uids }
}

/// The access of a user to the socket; each level includes the previous ones.
package enum Access: Int, Sendable, Comparable, CaseIterable {
    /// All calls are refused.
    case none
    case read
    case readWrite
    /// Also redact, compact, and control the daemon.
    case administer

    var letters: String {
        switch self {
        case .none: ""
        case .read: "r"
        case .readWrite: "rw"
        case .administer: "rwa"
        }
    }

    package init?(letters: String) {
        guard !letters.isEmpty, let access = Self.allCases.first(where: { $0.letters == letters }) else { return nil }
        self = access
    }

    package static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }
}

package struct Accounts: Sendable {
    var uid: @Sendable (String) -> UInt32?
    var members: @Sendable (String) -> Set<UInt32>? = { _ in nil }

    static let system = Accounts(uid: Users.uid, members: Users.members)
}

/// The users and groups of the system.
///
/// The C functions return static storage, so calls must not be concurrent: at the start, and when the configuration is reloaded.
enum Users {
    static func uid(named name: String) -> UInt32? { getpwnam(name)?.pointee.pw_uid }

    /// The uids of a group's listed and primary members; `nil`: no such group (a number may also be a gid).
    static func members(ofGroup name: String) -> Set<UInt32>? {
        guard let group = getgrnam(name) ?? gid_t(name).flatMap({ getgrgid($0) }) else { return nil }
        let gid = group.pointee.gr_gid
        var names: [String] = []
        var next = group.pointee.gr_mem
        while let member = next?.pointee {
            names.append(String(cString: member))
            next = next?.advanced(by: 1)
        }
        var uids = Set(names.compactMap(uid))
        setpwent()
        defer { endpwent() }
        while let user = getpwent() { if user.pointee.pw_gid == gid { uids.insert(user.pointee.pw_uid) } }
        return uids
    }

    static func home(of uid: UInt32) -> String? {
        guard let directory = getpwuid(uid)?.pointee.pw_dir else { return nil }
        let path = String(cString: directory)
        return path.hasPrefix("/") ? path : nil
    }
}
