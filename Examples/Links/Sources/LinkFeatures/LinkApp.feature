# Links, and the settings of their checks.
public feature LinkApp

1 child links: Links
2 child settings: Settings without tasks
