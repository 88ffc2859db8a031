# A root above others: the stairs, and a tally with commands.
feature House

1 child stairs: Stairs without tasks
2 child tally: Tally
