# Star buttons, each a state machine: unstar, staring, star, unstaring, unstar.
public feature Stars

# The star buttons that are not in their initial state, by the bytes of their ids.
#
# A button without a star and with a count of 0 is not kept, so adding a star and removing it leaves no trace.
state (
  # The buttons that are not in their initial state, each under its id.
  1 items: StarItems shown
)

# A star button.
record Star (
  # What the button shows.
  2 _ phase: Star.Phase shown
  # The number of stars, from 0 to 2^53 - 1. It changes when a request succeeds.
  3 starCount: Int64 via Count shown
)

# What a button shows, and whether a request is running.
choice Star.Phase (
  # Without a star.
  0 unstar
  # A request for a star is running.
  1 staring
  # With a star.
  2 star
  # A request to remove the star is running.
  3 unstaring
)

# A star button with its id.
record StarItems.Entry (
  # The id.
  1 id: String via StarID needed
  # The button.
  inline star: Star
)

# Presses the button. Logged as `staring` or `unstaring`; ignored while a request runs.
1 command press(1 _ id: String via StarID needed)

# Requests a star. Ignored if there is one.
2 command staring(1 _ id: String via StarID needed)

# Requests to remove the star. Ignored if there is none.
3 command unstaring(1 _ id: String via StarID needed)

# The star was added.
4 event starred(1 _ id: String via StarID needed)

# The star was removed.
5 event unstarred(1 _ id: String via StarID needed)

# The request failed. The button shows what it showed before.
6 event failed(1 _ id: String via StarID needed, 2 reason: String required)
  fails "the star of \(id) could not be changed: \(reason)"

# Adds a star.
1 task star(1 _ id: String via StarID needed)

# Removes the star.
2 task unstar(1 _ id: String via StarID needed)

# The id is empty or longer than its limit in bytes.
refusal InvalidID
# The maximum number of stars is set.
# Remedy: Remove some.
refusal TooManyStars
