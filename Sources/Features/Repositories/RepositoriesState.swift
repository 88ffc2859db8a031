public import PersistentCollections
import Reducing

extension Repositories {
    /// The current language, the languages to choose from, and the list as the last request brought it.
    public struct State: Sendable {
        /// Whose repositories are listed; never empty.
        public var language: String
        /// What there is to choose from; never empty.
        public var languages: [String]
        /// The repositories by id, in the source's order.
        public var items: OrderedTable<Repository>
        /// Whether a request runs.
        public var loading: Bool
        /// Whether there was a first reload: from then on a change of the language asks for its list.
        public var isLive: Bool

        /// The language that everything begins with.
        public static let initialLanguage = "Swift"
        /// What there is to choose from before a source has said more.
        public static let initialLanguages = ["Swift", "Objective-C", "Java", "C", "C++", "Python", "C#"]

        /// Makes a state: each field that is left out is what it begins with.
        ///
        /// Repositories whose id is too large or taken are left out.
        public init(
            language: String = initialLanguage, languages: [String] = initialLanguages, items: [Repository] = [],
            loading: Bool = false, isLive: Bool = false
        ) {
            self.language = language.utf8.isEmpty ? Self.initialLanguage : language
            self.languages = languages.isEmpty ? Self.initialLanguages : languages
            self.items = OrderedTable(repositories: items)
            self.loading = loading
            self.isLive = isLive
        }
    }
}

extension OrderedTable<Repository> {
    /// The repositories in this order, without those whose id can't be one or is there already.
    init(repositories: [Repository]) {
        self.init()
        for repository in repositories where Repositories.Limits.ids.contains(repository.id) {
            append(repository, id: repository.id)
        }
    }
}

extension Repositories.State: Equatable {
    /// Compares everything, texts by their bytes, and skips what both share.
    public static func == (left: Self, right: Self) -> Bool {
        left.loading == right.loading && left.isLive == right.isLive && left.language.hasSameBytes(as: right.language)
            && left.hasSameLanguages(as: right.languages) && left.items == right.items
    }

    func hasSameLanguages(as names: [String]) -> Bool {
        // Most states share the list that everything begins with, which is known without a look at its texts.
        let left = languages.span
        let right = names.span
        return left.isIdentical(to: right) || languages.hasSameBytes(as: names)
    }
}
