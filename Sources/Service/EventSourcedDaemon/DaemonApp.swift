public import Fields

/// An app that a daemon can run: a feature of which everything can be kept in a log and sent as JSON.
public protocol DaemonApp: Feature where State: Fielded, Action: Cased, Command: CanonicalCodable {
    /// The action that opening a link dispatches; refuses a link that leads nowhere.
    static func action(opening link: String) throws(Refusal) -> Action

    /// What features, actions and fields mean, by name: `todos`, `todos.add`, `todos.state.items`.
    static var documentation: [String: String] { get }

    /// A logged action without those of the texts that people wrote which are to go; `nil` when it holds none that can.
    static func redacted(_ action: Action, _ texts: RedactedTexts) -> Action?
}

extension DaemonApp {
    public static var documentation: [String: String] { [:] }

    /// Refuses, for apps without links.
    public static func action(opening link: String) throws(Refusal) -> Action {
        throw Refusal("UnknownLink", "this app opens no links")
    }

    /// Keeps the texts of fields `id`, for apps that name things by nothing else.
    public static func redacted(_ action: Action, _ texts: RedactedTexts) -> Action? { action.redacted(keeping: ["id"], texts) }
}
