import FeatureAlerts
import FeatureCounter
import FeatureFlows
import FeaturePosts
import FeatureRepositories
import FeatureStars
import FeatureTodos
import FeatureViews

# All features of the daemon.
public feature App

# The todo list.
1 child todos: Todos
# The counter.
2 child counter: Counter without tasks
# The alerts.
3 child apart alerts: Alerts without tasks
# The posts.
4 child apart posts: Posts
# The star buttons.
5 child apart stars: Stars
# The repositories.
6 child apart repositories: Repositories
# The open flows.
7 child apart flows: Flows
# The saved views.
8 child apart views: Views without tasks

# The text is not a valid link of this app.
# Remedy: Write it like todod:/repos/Swift; encode other characters than letters and digits as percent signs with two hex digits.
refusal BadLink
# No page of the app has this path.
refusal UnknownLink
