/// One post as a feed tells of it, its texts on one line each.
struct FeedEntry: Sendable, Equatable {
    /// What it is known by: its `guid` or `id`, else its link, else its title.
    var key = ""
    var title = ""
    /// Where it can be read; empty when that is no address on the web.
    var link = ""
    /// Its beginning, without markup.
    var summary = ""
    /// Microseconds since 1970; 0 when it does not say.
    var published: Int64 = 0
}
