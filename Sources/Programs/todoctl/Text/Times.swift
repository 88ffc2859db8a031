import Synchronization
import TodoAPI

/// Fields of features that hold times, shown as dates.
enum Times {
    private static let known = Mutex<(socket: String?, names: Set<String>)>((nil, []))

    /// Asks the daemon at a socket when a number is first shown.
    static func ask(at socket: String) { known.withLock { $0 = (socket, []) } }

    /// Takes the names from the daemon's status.
    static func know(_ names: [String]?) { known.withLock { $0 = (nil, Set(names ?? [])) } }

    /// Whether the last field of a path is a time; the path begins with the feature's name: `todos.items[3].created`.
    static func contains(_ path: String) -> Bool {
        let names = path.split(separator: ".")
        guard let feature = names.first, let field = names.last else { return false }
        if let socket = known.withLock({ $0.socket.take() }) {
            know(try? Client(socket: socket, patience: 0).call(StatusMethod.self, NoFields()).times)
        }
        return known.withLock { $0.names.contains("\(feature).\(field)") || $0.names.contains(String(field)) }
    }
}
