# A counter that can fetch its number from elsewhere: the smallest feature with all that a test store watches.
feature Tally

state (
  1 count: Int64
  2 changed: Int64?
  3 by: UInt64?
  4 isCounting: Bool
  5 failure: String?
  6 displaced: Int64
)

1 command increment
2 command add(1 _ amount: Int64)
3 command touch
4 command nothing
5 command double
6 command fetch(1 from: String)
7 command show
8 command fetched(1 _ count: Int64)
9 command countAll
10 command stopCounting
11 event counted(1 _ count: Int64)
12 event uncounted(1 _ reason: String)
13 event displaced

1 task fetch(1 from: String)
2 task open(1 page: String)
3 task count
4 task stop
