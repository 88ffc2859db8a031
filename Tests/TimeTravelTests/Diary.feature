# A feature with commands, results and edits.
feature Diary

state (
  1 draft: String shown
  2 notes: [String] shown
)

1 command note(1 _ text: String)
2 edit type(1 _ text: String)
# Asks for a fetch, and opens a page.
3 command ask(1 _ text: String)
# The result of a fetch.
4 event brought(1 _ text: String)

1 task fetch(1 _ text: String)
2 task open(1 _ text: String)
3 task cancel(1 _ text: String)
