import Chronicle

extension Stars.State {
    /// The buttons, sorted by the bytes of their IDs.
    public var entries: [StarItems.Entry] { items.entries }

    /// The last one of several buttons with the same ID applies; invalid IDs are dropped.
    public init(items: KeyValuePairs<String, Star>) {
        self.init()
        for (id, star) in items { self[id] = star }
    }

    /// The button of an ID, initially unpressed; setting an invalid ID changes nothing.
    public subscript(id: String) -> Star {
        get { items[id] }
        set { if Stars.Limits.allows(id: id) { items[id] = newValue } }
    }

    func contains(_ id: String) -> Bool { items.contains(id) }
}
