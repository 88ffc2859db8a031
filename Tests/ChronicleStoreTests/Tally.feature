# A feature for these tests: a sum, a refusal, commands of both kinds and two scopes.
feature Tally

state (
  1 sum: Int64 shown
  2 asked: Table<Asked>
)

row Asked (
  1 id: UInt64 needed
  2 text: String required
)

1 command add(1 _ amount: Int64) changes sum
2 command ask(1 _ text: String) changes asked
3 command show(1 _ text: String) changes asked
# Logs nothing.
4 command idle changes asked
# Logged as two adds.
5 command twice(1 _ amount: Int64) changes sum
# Removes the text at an index.
6 command forget(1 index: Int required) changes asked

1 task fetch(1 _ text: String)
2 task open(1 _ text: String)
