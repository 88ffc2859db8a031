# The posts of a feed, page by page.
public feature Posts

state (
  # The posts by id, in the order of their feed; no two have the same key.
  1 items: Table<Post>
  # The page to fetch next; 0 before the first fetch and after the last page.
  2 nextPage: Int64 shown
  # Whether a page is being fetched.
  3 loading: Bool shown undone if unchanged
  # The id of the next post, higher than every id handed out before; at most 2^53 - 1.
  4 nextID: NextID
)

# An entry of a feed.
row Post (
  # The id, a small whole number from 1, the same as long as the post is in the list; 0 before it is handed out.
  1 id: UInt64
  # The feed's own id of the post; unique in the list.
  2 key: String required
  # The headline.
  3 title: String required
  # The address of the page; empty if unknown.
  4 link: String
  # A summary; often empty.
  5 summary: String
  # The date of publication, in microseconds since 1970; 0 if unknown.
  6 published: Time
)

# Fetches the first page, which then replaces all posts.
1 query fetch changes loading

# Fetches the next page, whose posts are appended.
2 query more changes loading

# Adds a todo with the title of a post. Logged as `todos.add`.
3 command add(1 _ id: UInt64 needed) changes none

# The first page was fetched. `nextPage` is the number of the next page, 0 if there is none.
4 event set(1 _ items: [Post] required, 2 nextPage: Int64 shown)

# The next page was fetched. Logged with the posts that are new.
5 event append(1 _ items: [Post] required, 2 nextPage: Int64 shown)

# A page could not be fetched.
6 event failed(1 _ reason: String required) changes loading fails "the posts could not be fetched: \(reason)"

# Restores posts at their indexes and removes others. Only an undo writes it.
7 event restore(1 _ items: TablePatch<Post> required, 2 nextPage: Int64 shown) changes items, nextPage, nextID

# Fetches a page, from 1. A later request replaces an earlier one.
1 task fetch(1 page: Int64 required, 2 into: Posts.Command.Destination required)

# Where the posts of a page go.
choice Posts.Command.Destination (
  # They replace all posts.
  0 set
  # They are appended.
  1 append
)

# There is no post with this id in the list.
refusal UnknownID
# There is no next page: all pages were fetched, or none.
refusal NoMorePosts
# All ids up to 2^53 - 2 are used.
refusal IDsExhausted
