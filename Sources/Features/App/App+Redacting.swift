public import Fields

extension App.Action {
    /// The same action with its texts taken out: what it is about, and how many of what it holds, stay.
    ///
    /// `nil` when there is no text in it that can go.
    public var redacted: App.Action? { redacted(.all) }

    /// The same action with some of its texts taken out; `nil` when there is none of them in it that can go.
    public func redacted(_ texts: RedactedTexts) -> App.Action? {
        if case .views = self { return redacted(keeping: Self.kept.union(["name"]), texts) }
        return redacted(keeping: Self.kept, labelled: Self.labelled, texts)
    }

    // Of a todo that was imported: its format is no text of anybody, nor is which part of it came from there.
    private static let labelled: [String: Set<String>] = ["source": [], "said": ["title"]]

    // What names something, or is one of a few choices: without it the action would be about something else. A view has a name of its own, by which
    // people reach it; what else is called a name holds a text as any other does.
    private static let kept: Set<String> = [
        "id", "key", "kind", "language", "languages", "names", "options", "result", "priority", "at", "every",
    ]
}
