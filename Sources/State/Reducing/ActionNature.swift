/// What sort of thing an action is.
public enum ActionNature: Sendable, Equatable {
    /// Somebody wants something done.
    case order
    /// Somebody wants to see what a source has, or a page: not meant where the last thing that was done is taken back.
    case request
    /// One of many small edits of a draft: shown grouped, and not taken back one by one.
    case typing
    /// What a command brought back; no client may dispatch it.
    case fact
}
