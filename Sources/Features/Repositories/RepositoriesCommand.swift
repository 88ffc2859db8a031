public import Chronicle

extension Repositories.Command {
    /// The client shows the page.
    public var isPresentational: Bool { if case .show = self { true } else { false } }

    /// A new request supersedes the previous one of the same kind.
    public var policy: CommandPolicy {
        switch self {
        case .fetch: CommandPolicy(cancelID: "fetch")
        case .languages: CommandPolicy(cancelID: "languages")
        case .show: CommandPolicy()
        case .cancelLanguages: CommandPolicy(cancelID: "languages", isCancellation: true)
        }
    }
}

extension Repositories {
    /// The failure of a request; nil if the command was superseded or parked.
    public static func ended(_ command: Command, _ end: CommandEnd) -> Action? {
        let reason: String
        switch end {
        case .failed(let why): reason = why
        case .skipped: reason = "the request was skipped"
        case .cancelled: reason = "the request was cancelled"
        // Loading continues with the later command or after a person's decision.
        case .superseded, .parked: return nil
        }
        return switch command {
        case .fetch(let name): .loadFailed(language: name, reason: reason)
        case .languages: .languagesFailed(reason: reason)
        case .show, .cancelLanguages: nil
        }
    }
}
