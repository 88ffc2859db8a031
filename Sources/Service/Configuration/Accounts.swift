/// The users and groups that there are, as the configuration asks for them.
struct Accounts: Sendable {
    let uid: @Sendable (String) -> UInt32?
    let members: @Sendable (String) -> Set<UInt32>?

    /// Takes two ways to look something up.
    ///
    /// - Parameters:
    ///   - uid: The uid of the user with a name; nil when there is none.
    ///   - members: The uids of those in the group with a name, by their primary group too; nil when there is none.
    init(
        uid: @escaping @Sendable (String) -> UInt32?, members: @escaping @Sendable (String) -> Set<UInt32>? = { _ in nil }
    ) {
        self.uid = uid
        self.members = members
    }

    /// The system's own.
    static let system = Accounts(uid: Users.uid, members: Users.members)
}
