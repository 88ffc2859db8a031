# A feature of nothing but commands: which are done, and which wait for a person.
feature Jobs

state (
  1 done: [String]
  2 parked: [String]
)

# How a job is run.
record Job (
  1 _ text: String required
  2 isOnce: Bool
  3 milliseconds: UInt64
)

1 command run(whole _ job: Job)
2 event done(1 _ text: String)
3 event parked(1 _ text: String)

1 task run(whole _ job: Job)
