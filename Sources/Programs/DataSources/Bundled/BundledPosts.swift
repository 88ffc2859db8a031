import Chronicle
import FeaturePosts

/// Three pages of ten posts that come with the program.
///
/// Each page begins with the last two posts of the previous one, as if new posts had been published between the
/// requests. All pages together have 26 posts.
struct BundledPosts: PostSource {
    func page(_ page: Int64, _ ticket: CommandTicket) async throws(CommandFailure) -> PostPage {
        try ticket.pause(.seconds(1))
        guard (1...Self.pagesMax).contains(page) else { return PostPage(posts: [], nextPage: 0) }
        let start = Int(page - 1) * (Self.postsPerPage - Self.overlap)
        let posts = (start..<start + Self.postsPerPage).map(Self.post)
        return PostPage(posts: posts, nextPage: page < Self.pagesMax ? page + 1 : 0)
    }

    private static let pagesMax: Int64 = 3
    private static let postsPerPage = 10
    private static let overlap = 2

    private static func post(_ index: Int) -> Post {
        let text = texts[index]
        return Post(
            key: "bundled-\(texts.count - index)", title: text.title,
            link: "https://example.org/posts/\(texts.count - index)", summary: text.summary,
            // One post per day, the newest on 2026-01-26 at noon.
            published: 1_769_428_800_000_000 - Int64(index) * 86_400_000_000)
    }

    private static let texts: [(title: String, summary: String)] = [
        ("Why a log and not a table", "What happened can be asked again later; what is overwritten can't."),
        ("Water the plants before the holidays", "Three days before, not on the last evening."),
        ("State is a fold", "Begin with nothing, apply one action after another, and you are where you are."),
        ("A list for the week", "Seven lines, one a day, and the courage to leave one empty."),
        ("What a reducer must not do", "Read a clock, roll a die, fail."),
        ("Sharpen the kitchen knives", "A whetstone, water, ten minutes."),
        ("Commands are plain data", "They can be printed, compared, kept, and tried again."),
        ("The smallest thing that works", "Then the next one."),
        ("Group commit", "Everyone who waits pays for one flush of the disk together."),
        ("Bake bread on Sunday", "Flour, water, salt, time."),
        ("An id is for ever", "A number that was given away never comes back for something else."),
        ("Two-minute jobs", "What takes less time than writing it down is done at once."),
        ("Unix sockets are underrated", "No port, no password, and the kernel says who calls."),
        ("Read one chapter before sleeping", "Paper, not glass."),
        ("The trouble with time", "It goes backwards, stands still and jumps; a sequence does none of it."),
        ("Call an old friend", "Not tomorrow."),
        ("Undo is a new action", "The past stays as it was; the present changes."),
        ("Repair the bicycle lamp", "The bulb, the cable, or the dynamo, in this order."),
        ("Backpressure for beginners", "Whoever reads slowly gets less, later, but never something wrong."),
        ("Fold the laundry while it is warm", "It saves the iron."),
        ("Snapshots are caches", "They may be thrown away at any time, and then it only takes longer."),
        ("Return the library books", "They want to be read by somebody else."),
        ("Names are the hardest part", "One word, one meaning."),
        ("Defrost the freezer", "In winter, with the food on the balcony."),
        ("Crash-only software", "If starting again is always safe, stopping is easy."),
        ("Write the postcard", "Five sentences are enough."),
    ]
}
