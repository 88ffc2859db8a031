import Glibc

/// The system's list of users.
public enum Users {
    /// The uid of the user with a name; nil when there is none.
    public static func uid(named name: String) -> UInt32? {
        // The entry that the system lends is good until the next call; this runs once, before anything else does.
        getpwnam(name)?.pointee.pw_uid
    }

    /// The home of a user; nil when the list says nothing.
    public static func home(of uid: UInt32) -> String? {
        guard let directory = getpwuid(uid)?.pointee.pw_dir else { return nil }
        let path = String(cString: directory)
        return path.hasPrefix("/") ? path : nil
    }
}
