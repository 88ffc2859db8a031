import Chronicle
import LinuxService
import TodoAPI
import Varlink

/// The names on the wire: those of interfaces have the prefix of the program, those of refusals the name of the child.
struct ServedNames: Sendable {
    let interfaces: InterfaceNames
    let methods: [String: KnownMethod]
    private let child: @Sendable (_ feature: String) -> String?

    init(of program: Program, child: @escaping @Sendable (String) -> String?) {
        (interfaces, self.child) = (InterfaceNames(prefix: program.interfaces), child)
        methods = Dictionary(uniqueKeysWithValues: KnownMethod.named.map { [interfaces] in (interfaces.served($0), $1) })
    }

    var texts: [String] {
        let (own, served) = (InterfaceNames.ownPrefix, interfaces.prefix)
        return own == served ? Interfaces.all : Interfaces.all.map { $0.replacing(own, with: served) }
    }

    func error(_ error: APIError) -> CallError {
        var named = error
        if case .refused(var refusal, let action) = error, let child = child(refusal.feature) {
            refusal.feature = child.capitalizedFirst
            named = .refused(refusal, action: action)
        }
        return CallError(interfaces.served(named.name), error.parameters)
    }
}
