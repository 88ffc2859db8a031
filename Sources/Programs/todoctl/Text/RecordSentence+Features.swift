import Chronicle
import TodoAPI

extension RecordSentence {
    /// The sentence for an action of a known feature; `nil` otherwise.
    var known: String? {
        guard let action = record.action else { return nil }
        let path = RecordLines.path(action)
        guard path.count == 2 else { return nil }
        let (name, payload) = (path[1], RecordLines.payload(action))
        switch path[0] {
        case "todos": return ofTodos(name, payload)
        case "counter": return ofCounter(name, payload)
        case "alerts": return ofAlerts(name, payload)
        case "posts": return ofPosts(name, payload)
        case "stars": return ofStars(name, payload)
        case "repositories": return ofRepositories(name, payload)
        case "flows": return ofFlows(name, payload)
        case "views": return ofViews(name, payload)
        default: return nil
        }
    }

    func ofCounter(_ name: String, _ payload: Value) -> String? {
        let count = changes.first { $0.path == "counter" }.flatMap { ($0.new ?? .null)["count"]?.int }
        let to = count.map { " to \($0)" } ?? ""
        switch name {
        case "increment": return "counted up" + to
        case "decrement": return "counted down" + to
        case "reset": return "set the counter to 0"
        case "shift":
            let step = payload["by"]?.int ?? 0
            return "counted \(step < 0 ? "down" : "up") by \(step.magnitude)" + to
        default: return nil
        }
    }

    func ofAlerts(_ name: String, _ payload: Value) -> String? {
        switch name {
        case "raise": return "alert: " + text("text", of: payload)
        case "dismiss": return "dismissed the alert " + thing("alerts", payload)
        case "dismissAll": return "dismissed all alerts"
        case "restore": return restored("alerts", "alert", "alerts")
        default: return nil
        }
    }

    func ofPosts(_ name: String, _ payload: Value) -> String? {
        let count = payload["items"]?.list?.count ?? 0
        switch name {
        case "fetch": return "asked for the posts"
        case "more": return "asked for more posts"
        case "add": return "made a todo of the post " + thing("posts", payload)
        case "set": return Digits.counted(count, "post") + " arrived"
        case "append": return Digits.counted(count, "more post") + " arrived"
        case "failed": return "the posts could not be fetched: " + reason(payload)
        case "restore": return restored("posts", "post", "posts")
        default: return nil
        }
    }

    func ofStars(_ name: String, _ payload: Value) -> String? {
        let id = text("id", of: payload)
        switch name {
        case "press": return "pressed the star button of " + id
        case "staring": return "starred " + id
        case "unstaring": return "took back the star of " + id
        case "starred": return id + " has the star"
        case "unstarred": return id + " has no star"
        case "failed": return "the star of \(id) is as it was: " + reason(payload)
        default: return nil
        }
    }

    func ofRepositories(_ name: String, _ payload: Value) -> String? {
        let language = text("language", of: payload)
        let count = payload["items"]?.list?.count ?? 0
        switch name {
        case "reload": return "asked for the repositories"
        case "setLanguage", "browse": return "chose " + language
        case "open":
            let address = record.commands.lazy.compactMap { $0.arguments["url"]?.text }.first
            return "opened " + (address.map(Visible.text) ?? "the page of repository " + thing("repositories", payload))
        case "loadLanguages": return "asked for the languages"
        case "loaded": return Digits.counted(count, "repository", "repositories") + " for \(language) arrived"
        case "loadFailed": return "the repositories for \(language) could not be listed: " + reason(payload)
        case "languagesLoaded": return Digits.counted(payload["languages"]?.list?.count ?? 0, "language") + " arrived"
        case "languagesFailed": return "the languages could not be listed: " + reason(payload)
        case "restore": return restored("repositories", "repository", "repositories")
        default: return nil
        }
    }

    func ofFlows(_ name: String, _ payload: Value) -> String? {
        switch name {
        case "start", "started":
            switch payload["kind"]?.text {
            case "language": return "asked for a language"
            case "root": return "began to ask"
            default: return "asked a question: " + text("kind", of: payload)
            }
        case "answer": return "answered the question \(thing("flows", payload)): " + text("text", of: payload)
        case "cancel": return "cancelled the question " + thing("flows", payload)
        case "ended":
            guard payload["result"]?.text != nil else { return "the question \(thing("flows", payload)) was cancelled" }
            return "the question \(thing("flows", payload)) was answered: " + text("result", of: payload)
        case "offered":
            let count = payload["options"]?.list?.count ?? 0
            return "the question \(thing("flows", payload)) has \(Digits.counted(count, "answer")) to choose from"
        case "restore": return restored("flows", "question", "questions")
        case "timedOut":
            return payload["id"]?.int == nil
                ? "no question's time was over lately" : "the time of the question \(thing("flows", payload)) was over"
        default: return nil
        }
    }

    func ofViews(_ name: String, _ payload: Value) -> String? {
        let filter = payload["filter"]?.text.map { ": " + Visible.text($0) } ?? ""
        switch name {
        case "save": return "saved the view " + text("name", of: payload) + filter
        case "change": return "changed the view " + thing("views", payload) + filter
        case "remove": return "removed the view " + thing("views", payload)
        case "restore": return restored("views", "view", "views")
        default: return nil
        }
    }

    func reason(_ payload: Value) -> String { payload["reason"]?.text.map(Visible.text) ?? "nobody says why" }

    private func text(_ field: String, of payload: Value) -> String { Visible.text(payload[field]?.text ?? "") }

    /// The name of the action's element, or its id if unknown.
    private func thing(_ feature: String, _ payload: Value) -> String {
        let id = payload["id"]?.int ?? 0
        return changes.first { $0.path == feature + ".items" && $0.id == id }.flatMap(ElementName.name) ?? "\(id)"
    }

    /// `put back 3 posts and took away 1`, counted by the changes.
    private func restored(_ feature: String, _ one: String, _ several: String) -> String {
        let own = changes.filter { $0.path == feature + ".items" }
        let (back, gone) = (own.count { $0.kind == .insert }, own.count { $0.kind == .remove })
        var parts: [String] = []
        if back > 0 { parts.append("put back " + Digits.counted(back, one, several)) }
        if gone > 0 { parts.append("took away " + (back > 0 ? Digits.grouped(gone) : Digits.counted(gone, one, several))) }
        return parts.isEmpty ? "put back the \(several)" : parts.joined(separator: " and ")
    }
}
