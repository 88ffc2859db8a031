import ArgumentParser

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
