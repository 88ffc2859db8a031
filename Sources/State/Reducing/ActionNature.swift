/// What sort of thing an action is.
public enum ActionNature: Sendable, Equatable {
    /// Somebody wants something done.
    case order
    /// One of many small edits of a draft: shown grouped, and not taken back one by one.
    case typing
    /// What a command brought back; no client may dispatch it.
    case fact
}
