public import FeatureRepositories
public import Reducing

/// Who knows which repositories there are.
public protocol RepositorySource: Sendable {
    /// The repositories of a language, the one with the most stars first.
    func mostStarred(_ language: String, _ ticket: CommandTicket) async throws(CommandFailure) -> [Repository]

    /// The languages that there are to choose from.
    func languages(_ ticket: CommandTicket) async throws(CommandFailure) -> [String]
}
