import ChronicleValues
@testable import Etcd

extension EtcdCluster {
    /// The user with access to `/todod/` once users are enabled, and its password.
    public static let user = (name: "todod", password: "a password")

    /// Enables users, as the manual describes it with etcdctl.
    public func enableUsers() throws {
        let client = try EtcdClient(options())
        try client.wait(for: Self.call("user/add", ["name": "root", "password": "of root"]))
        try client.wait(for: Self.call("user/grant", ["user": "root", "role": "root"]))
        try client.wait(for: Self.call("enable", [:]))
        let root = try root
        try root.wait(for: Self.call("role/add", ["name": Self.user.name]))
        try grantRight()
        try addUser()
    }

    /// Writes a key as root.
    public func put(_ key: String, _ value: [UInt8]) throws {
        try EtcdClient(options()).wait(for: EtcdCall<Void>.put(Array(key.utf8), value))
    }

    /// Grants the role of the user access to `/todod/`.
    public func grantRight() throws {
        let permission = Value.record([.init("permType", .text("READWRITE"))] + Self.range)
        let fields: [Value.Field] = [.init("name", .text(Self.user.name)), .init("perm", permission)]
        try root.wait(for: EtcdCall<Void>("auth/role/grant", fields) { _ in () })
    }

    /// Revokes that access.
    public func revokeRight() throws {
        let fields = [.init("role", .text(Self.user.name))] + Self.range
        try root.wait(for: EtcdCall<Void>("auth/role/revoke", fields) { _ in () })
    }

    /// Adds the user with its role.
    public func addUser() throws {
        let (name, password) = Self.user
        let root = try root
        try root.wait(for: Self.call("user/add", ["name": name, "password": password]))
        try root.wait(for: Self.call("user/grant", ["user": name, "role": name]))
    }

    public func removeUser() throws { try root.wait(for: Self.call("user/delete", ["name": Self.user.name])) }

    /// Changes the user's password as an operator does.
    public func changePassword(to password: String) throws {
        try root.wait(for: Self.call("user/changepw", ["name": Self.user.name, "password": password]))
    }

    private var root: EtcdClient {
        get throws {
            var options = options()
            options.user = EtcdOptions.User(name: "root", password: "of root")
            return try EtcdClient(options)
        }
    }

    private static var range: [Value.Field] {
        [.init("key", .bytes(Array("/todod/".utf8))), .init("range_end", .bytes(Array("/todod0".utf8)))]
    }

    private static func call(_ path: String, _ fields: KeyValuePairs<String, String>) -> EtcdCall<Void> {
        EtcdCall<Void>("auth/\(path)", fields.map { .init($0.key, .text($0.value)) }) { _ in () }
    }
}
