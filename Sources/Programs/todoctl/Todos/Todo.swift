import ArgumentParser
import Reducing

/// One todo as the daemon shows it.
struct Todo: Equatable {
    var id: Int64
    var title: String
    var note = ""
    var tags: [String] = []
    /// 0 to 3.
    var priority = 0
    var due: Due?
    /// Microseconds since 1970.
    var created: Int64?
    /// Microseconds since 1970; nil as long as it is open.
    var completed: Int64?

    var isDone: Bool { completed != nil }

    init(id: Int64, title: String) {
        self.id = id
        self.title = title
    }

    /// Reads an element of `todos.items`; what a newer daemon adds is passed over.
    init?(_ value: Value) {
        guard case .record(let fields) = value else { return nil }
        var id: Int64?
        var title: String?
        for field in fields {
            switch (field.name, field.value) {
            case ("id", .int(let number)): id = number
            case ("title", .text(let text)): title = text
            case ("note", .text(let text)): note = text
            case ("tags", .list(let elements)): tags = elements.compactMap(\.text)
            case ("priority", .int(let number)): priority = Int(clamping: number)
            case ("due", .text(let text)): due = Due(text: text)
            case ("created", .int(let time)): created = time
            case ("completed", .int(let time)): completed = time
            default: break
            }
        }
        guard let id, let title else { return nil }
        self.id = id
        self.title = title
    }
}

/// How important a todo is: 0 to 3, or none, low, medium, high.
struct Priority: ExpressibleByArgument, Equatable {
    static let names = ["none", "low", "medium", "high"]
    var level: Int

    init(level: Int) { self.level = level }

    init?(argument: String) {
        if let level = Priority.names.firstIndex(of: argument.lowercased()) {
            self.level = level
        } else if let level = Int(argument), Priority.names.indices.contains(level) {
            self.level = level
        } else {
            return nil
        }
    }

    var name: String { Priority.names.indices.contains(level) ? Priority.names[level] : String(level) }
    var defaultValueDescription: String { name }
    static var allValueStrings: [String] { names }
}
