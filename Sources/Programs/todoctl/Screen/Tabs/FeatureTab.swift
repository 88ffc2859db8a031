import Chronicle
import TodoAPI
import Varlink

/// A tab: the todos, the view of another feature, or the open commands.
struct FeatureTab: Equatable {
    enum Kind: Equatable {
        /// The todos, which subscribe to a state instead of a view.
        case todos
        case feature
        case commands
    }

    let name: String
    let kind: Kind
    /// The view; `nil` until it is loaded.
    var view: Value?
    /// The pages of an incomplete view.
    var pages: Value?
    /// The open commands; `nil` until they are loaded.
    var commands: [OpenCommandMessage]?
    /// The pages of an incomplete list of commands.
    var commandsComing: [OpenCommandMessage] = []
    var failure: String?
    var isFollowed = false
    /// The feature's actions; `nil` until they are loaded.
    var actions: [ViewAction]?
    /// The selected line and the first visible one.
    var selected = 0
    var offset = 0
    /// When the highlights of changed rows end, by name, in microseconds since 1970.
    var flashes: [String: Int64] = [:]

    init(_ name: String, _ kind: Kind) { (self.name, self.kind) = (name, kind) }

    var isTodos: Bool { kind == .todos }

    var title: String { ["flows": "questions", "repositories": "repos"][name] ?? name }
}

struct ViewAction: Equatable {
    struct Field: Equatable {
        var name: String
        var isNumber: Bool
        var isOptional: Bool
    }

    var name: String
    var documentation: String
    var fields: [Field]
}

struct PendingAction: Equatable {
    var feature: String
    var name: String
    var known: [Value.Field]
    /// The missing fields; the next one first.
    var asked: [ViewAction.Field]
}
