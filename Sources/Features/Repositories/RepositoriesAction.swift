import ActionCoding
public import Restoring

extension Repositories {
    /// What can happen to the list of repositories: as dispatched, and, prepared, as logged.
    public enum Action: Sendable {
        /// Asks for the list of the current language.
        case reload
        /// Makes a language the current one, and after the first reload asks for its list.
        case setLanguage(String)
        /// Shows the list of a language, whether there was a reload or not; logged as `setLanguage`, before the first reload also `reload`.
        case browse(String)
        /// Shows a repository's page to whoever asked; changes nothing.
        case open(UInt64)
        /// Opens the repository at an index; logged as `open`.
        case openAt(index: Int)
        /// Asks which languages there are to choose from.
        case loadLanguages
        /// A request brought the list of a language.
        case loaded(language: String, [Repository])
        /// A request for the list of a language failed, for a reason that is a sentence for a person.
        case loadFailed(language: String, reason: String)
        /// The languages that there are to choose from.
        case languagesLoaded([String])
        /// The languages could not be had, for a reason that is a sentence for a person.
        case languagesFailed(reason: String)
        /// Makes the list what it was: what happened is taken back. An empty language and no languages stay as they are. No client dispatches it.
        case restore(TablePatch<Repository>, language: String, languages: [String], isLive: Bool)
    }
}

extension Repositories.Action: Equatable {
    /// Compares the canonical bytes, so texts by their bytes.
    public static func == (left: Self, right: Self) -> Bool { left.canonicalBytes == right.canonicalBytes }
}
