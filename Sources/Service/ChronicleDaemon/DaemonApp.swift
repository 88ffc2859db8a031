public import Chronicle

/// An app that a daemon can run: a feature whose values can be logged and sent as JSON.
public protocol DaemonApp: Feature where Command: CanonicalCodable {
    /// The action of an opened link; `nil` for an app without links.
    static func action(opening link: String) throws(Refusal) -> Action?

    /// The comments of features, actions, fields and refusals by name: `todos`, `todos.add`, `todos.state.items`,
    /// `todos.refusal.TagEmpty`; for an app without children the empty name, `add`, `state.count`.
    static var documentation: [String: String] { get }

    /// The names of the numbers that are times, with the names of the children: `todos.created`.
    static var times: [String] { get }

    /// A logged action without the given texts; `nil` if it contains none that can be removed.
    static func redacted(_ action: Action, _ texts: RedactedTexts) -> Action?
}

extension DaemonApp {
    public static var documentation: [String: String] { [:] }
    public static var times: [String] { [] }
    public static func action(opening link: String) throws(Refusal) -> Action? { nil }

    /// Keeps the texts of `id` fields, for apps that name things only by id.
    public static func redacted(_ action: Action, _ texts: RedactedTexts) -> Action? { action.redacted(keeping: ["id"], texts) }
}
