# The most-starred repositories of one language.
public feature Repositories

state (
  # The language of the list; never empty.
  1 storedLanguage language: Language shown
  # The languages to choose from; never empty.
  2 storedLanguages languages: Languages shown
  # The repositories by id, in the order of the source.
  3 items: Table<Repository>
  # Whether a request is running.
  4 loading: Bool shown undone if unchanged
  # Whether the list was loaded once. From then on a change of the language loads its list.
  5 isLive: Bool shown undone if unchanged
)

# A repository as a source lists it.
row Repository (
  # The source's id, from 1 to 2^53 - 2.
  1 id: UInt64 needed
  # The owner and the name: `apple/swift`.
  2 fullName: String required
  # A description; empty if there is none.
  3 description: String
  # The address of the page; empty if there is none that may be opened.
  4 url: String
  # The number of stars, from 0 to 2^53 - 1.
  5 stars: Int64 via Count
)

# Loads the list of the current language.
1 query reload changes loading, isLive

# Changes the language, and loads its list if a list was loaded before.
2 command setLanguage(1 _ language: String required) changes language, loading

# Changes the language and loads its list. Logged as `setLanguage`, the first time followed by `reload`.
3 command browse(1 _ language: String required) changes language, loading, isLive

# Opens the page of a repository at the client. Changes nothing.
4 query open(1 _ id: UInt64) or openAt changes items

# Loads the languages to choose from.
5 query loadLanguages changes languages

# The list of a language was loaded.
6 event loaded(1 language: String required, 2 _ items: [Repository] required) changes items, loading

# The list of a language could not be loaded.
7 event loadFailed(1 language: String required, 2 reason: String required) changes loading
  fails "the repositories of \(language) could not be listed: \(reason)"

# The languages to choose from were loaded.
8 event languagesLoaded(1 _ languages: [String] required) changes languages

# The languages could not be loaded.
9 event languagesFailed(2 reason: String required) changes languages
  fails "the languages could not be listed: \(reason)"

# Restores the list. An empty language and an empty list of languages stay as they are. Only an undo writes it.
10 event restore(
  1 _ items: TablePatch<Repository> required, 2 language: String required, 3 languages: [String] required, 4 isLive: Bool required
) changes items, language, languages, isLive

# The most-starred repositories of a language. The result is logged as `loaded`.
1 task fetch(1 language: String required)

# The languages to choose from. The result is logged as `languagesLoaded`.
2 task languages

# Opens a page at the client that asked.
3 task show(1 url: String required)

# Cancels the request for languages.
4 task cancelLanguages

# There is no repository with this id in the list.
refusal UnknownID
# There is no repository at this index. The first index is 0.
refusal UnknownIndex
# There is no language with this name. Upper and lower case differ.
refusal UnknownLanguage
# The repository has no page that can be opened.
refusal NoPage
