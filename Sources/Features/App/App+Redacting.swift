public import Chronicle

extension App.Action {
    /// Returns the action without its texts; nil if no text can be removed.
    ///
    /// The IDs and the number of elements stay.
    public var redacted: App.Action? { redacted(.all) }

    /// Returns the action without some of its texts; nil if none of these can be removed.
    public func redacted(_ texts: RedactedTexts) -> App.Action? {
        if case .views = self { return redacted(keeping: Self.kept.union(["name"]), texts) }
        return redacted(keeping: Self.kept, labelled: Self.labelled, texts)
    }

    // The format of an imported todo and the names of its imported fields are not personal texts.
    private static let labelled: [String: Set<String>] = ["source": [], "said": ["title"]]

    // Identifiers and enumerations, without which the action would refer to something else, including the names of views.
    private static let kept: Set<String> = [
        "id", "key", "kind", "language", "languages", "names", "options", "result", "priority", "at", "every",
    ]
}
