@testable import Etcd
import Values

extension EtcdCluster {
    /// The user that may do anything below `/todod/` once there are users, and its password.
    public static let user = (name: "todod", password: "a password")

    /// Has the members know users, as the manual has it done with etcdctl.
    public func enableUsers() throws {
        var options = options()
        let client = try EtcdClient(options)
        try client.wait(for: Self.call("user/add", ["name": "root", "password": "of root"]))
        try client.wait(for: Self.call("user/grant", ["user": "root", "role": "root"]))
        try client.wait(for: Self.call("enable", [:]))
        options.user = EtcdOptions.User(name: "root", password: "of root")
        let root = try EtcdClient(options)
        let (name, password) = Self.user
        try root.wait(for: Self.call("role/add", ["name": name]))
        let permission = Value.record([
            .init("permType", .text("READWRITE")), .init("key", .bytes(Array("/todod/".utf8))),
            .init("range_end", .bytes(Array("/todod0".utf8))),
        ])
        try root.wait(
            for: EtcdCall<Void>("auth/role/grant", [.init("name", .text(name)), .init("perm", permission)]) { _ in () })
        try root.wait(for: Self.call("user/add", ["name": name, "password": password]))
        try root.wait(for: Self.call("user/grant", ["user": name, "role": name]))
    }

    /// Gives the user another password, as an operator does.
    public func changePassword(to password: String) throws {
        var options = options()
        options.user = EtcdOptions.User(name: "root", password: "of root")
        let root = try EtcdClient(options)
        try root.wait(for: Self.call("user/changepw", ["name": Self.user.name, "password": password]))
    }

    private static func call(_ path: String, _ fields: KeyValuePairs<String, String>) -> EtcdCall<Void> {
        EtcdCall<Void>("auth/\(path)", fields.map { .init($0.key, .text($0.value)) }) { _ in () }
    }
}
