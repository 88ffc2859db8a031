import Chronicle
import TodoAPI
import Varlink

/// A tab: the todos, the view of another feature, or the commands that are open.
struct FeatureTab: Equatable {
    enum Kind: Equatable {
        /// The list of todos, which is followed as a state.
        case todos
        /// What a feature shows.
        case feature
        case commands
    }

    /// The name of the feature: `posts`.
    let name: String
    let kind: Kind
    /// What it shows; `nil` as long as that is not known.
    var view: Value?
    /// The pages that have come of a view that is not here as a whole.
    var pages: Value?
    /// The commands that are open, where it shows those; `nil` as long as they are not known.
    var commands: [OpenCommandMessage]?
    /// Those that have come of commands that are not all here.
    var commandsComing: [OpenCommandMessage] = []
    /// Why it can't be shown.
    var failure: String?
    /// Whether what it shows was asked for.
    var isFollowed = false
    /// The actions that the daemon describes, once it was asked.
    var actions: [ViewAction]?
    /// The line of the cursor among those that can be selected, and the first that is shown.
    var selected = 0
    var offset = 0
    /// Until when a row is marked that changed, by its name, in microseconds since 1970.
    var flashes: [String: Int64] = [:]

    init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }

    var isTodos: Bool { kind == .todos }

    /// As it stands above the list.
    var title: String { ["flows": "questions", "repositories": "repos"][name] ?? name }
}

/// An action of a feature that can be done from its tab.
struct ViewAction: Equatable {
    /// A field that it takes.
    struct Field: Equatable {
        var name: String
        var isNumber: Bool
        var isOptional: Bool
    }

    var name: String
    var documentation: String
    var fields: [Field]
}

/// An action that still asks for some of its fields.
struct PendingAction: Equatable {
    var feature: String
    var name: String
    /// Those that are known.
    var known: [Value.Field]
    /// Those that are asked for, the next one first.
    var asked: [ViewAction.Field]
}
