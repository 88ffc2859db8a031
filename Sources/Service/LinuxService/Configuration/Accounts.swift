import Glibc

/// The users and groups that there are, as the configuration asks for them.
package struct Accounts: Sendable {
    let uid: @Sendable (String) -> UInt32?
    let members: @Sendable (String) -> Set<UInt32>?

    /// Combines the two lookups.
    ///
    /// - Parameters:
    ///   - uid: Returns the uid of a user name; `nil`: unknown.
    ///   - members: Returns the uids of a group's members, including primary members; `nil`: unknown.
    init(
        uid: @escaping @Sendable (String) -> UInt32?, members: @escaping @Sendable (String) -> Set<UInt32>? = { _ in nil }
    ) {
        self.uid = uid
        self.members = members
    }

    /// The system's own.
    static let system = Accounts(uid: Users.uid, members: Users.members)
}

/// The system's lists of users and groups.
///
/// The entries that the system lends are good until its next call, so these are called by one at a time: at the start, and
/// when the configuration is read again.
enum Users {
    /// The uid of a user name; `nil`: unknown.
    static func uid(named name: String) -> UInt32? {
        getpwnam(name)?.pointee.pw_uid
    }

    /// The uids of a group's listed and primary members; `nil`: no such group.
    ///
    /// A number that is no group name is used as a gid.
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
        while let user = getpwent() {
            if user.pointee.pw_gid == gid { uids.insert(user.pointee.pw_uid) }
        }
        return uids
    }

    /// The home of a user; nil when the list says nothing.
    static func home(of uid: UInt32) -> String? {
        guard let directory = getpwuid(uid)?.pointee.pw_dir else { return nil }
        let path = String(cString: directory)
        return path.hasPrefix("/") ? path : nil
    }
}
