import Glibc

/// Looks up users and groups for the configuration.
package struct Accounts: Sendable {
    let uid: @Sendable (String) -> UInt32?
    let members: @Sendable (String) -> Set<UInt32>?

    /// Combines the two lookups.
    /// - Parameters:
    ///   - uid: the uid of a user name; `nil`: unknown.
    ///   - members: the uids of a group's members, including primary members; `nil`: unknown.
    init(
        uid: @escaping @Sendable (String) -> UInt32?, members: @escaping @Sendable (String) -> Set<UInt32>? = { _ in nil }
    ) {
        self.uid = uid
        self.members = members
    }

    static let system = Accounts(uid: Users.uid, members: Users.members)
}

/// The users and groups of the system.
///
/// The C functions return static storage, so calls must not be concurrent: at the start, and when the configuration is reloaded.
enum Users {
    /// The uid of a user name; `nil`: unknown.
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

    /// The home directory of a user, if known.
    static func home(of uid: UInt32) -> String? {
        guard let directory = getpwuid(uid)?.pointee.pw_dir else { return nil }
        let path = String(cString: directory)
        return path.hasPrefix("/") ? path : nil
    }
}
