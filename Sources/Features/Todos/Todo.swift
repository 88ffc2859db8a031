import Chronicle

extension Todo {
    public var isCompleted: Bool { completed != nil }

    /// The reminder that is still to be delivered; nil for a completed todo.
    var pendingReminder: Due? {
        guard completed == nil, let remind, remind != reminded else { return nil }
        return remind
    }
}
