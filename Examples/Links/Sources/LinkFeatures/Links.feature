# Web addresses to keep, and whether they answer.
public feature Links

state (
  # The links by id, in the order in which they were added.
  1 items: Table<Link>
  # The id of the next link.
  2 nextID: NextID
)

# A web address under a title.
row Link (
  1 id: UInt64 filled
  # The web address.
  2 url: String required
  # What a person calls it.
  3 title: String
  # The HTTP status of the last check; 0 before the first one, and if the last one got no answer.
  4 status: Int filled undone never
  # When the last check ended.
  5 checked: Time filled undone never
)

# Adds a link and checks it. The daemon fills in the id.
1 command add(inline _ link: Link) creates link
# Changes the title of a link.
2 command rename(1 _ id: UInt64 needed, 2 title: String required) changes items
# Removes a link.
3 command remove(1 _ id: UInt64 needed)
# A link was checked.
4 event checked(1 _ id: UInt64 needed, 2 status: Int) changes items
# Restores links at their indexes and removes others. Only an undo writes it.
5 event restore(whole _ patch: TablePatch<Link>)

# The address has no scheme.
refusal NoWebAddress
# There is no link with this id.
refusal UnknownID

# Requests the address of a link after a number of seconds.
1 task check(1 _ id: UInt64 needed, 2 after seconds: Int64)
