import Chronicle
import TodoAPI
import Varlink

/// A filter stored under a name; `@work` in a filter refers to it.
struct SavedView: Equatable {
    var id: Int64
    var name: String
    var filter: String
    /// The sort order of `list`; `nil` is the default.
    var sort: TodoOrder?

    init?(_ element: Value) {
        guard let id = element["id"]?.int, let name = element["name"]?.text, let filter = element["filter"]?.text else {
            return nil
        }
        (self.id, self.name, self.filter) = (id, name, filter)
        // Unknown orders of newer clients are ignored.
        sort = element["sort"]?.text.flatMap(TodoOrder.init(rawValue:))
    }

    /// `work: +work is:open (sorted by due)`.
    var line: String {
        "\(Visible.text(name)): \(Visible.text(filter))" + (sort.map { " (sorted by \($0.rawValue))" } ?? "")
    }

    static func saving(_ name: String, _ filter: String, sort: TodoOrder?) -> Value {
        var fields: [Value.Field] = [.init("name", .text(name)), .init("filter", .text(filter))]
        if let sort { fields.append(.init("sort", .text(sort.rawValue))) }
        return FeatureAction.make("views", "save", .record(fields))
    }

    static func removing(_ id: Int64) -> Value { FeatureAction.make("views", "remove", ["id": .int(id)]) }

    /// The view that a word refers to: `work` for `@work`.
    static func named(by word: some StringProtocol) -> String? {
        word.utf8.count > 1 && word.first == "@" ? String(word.dropFirst()) : nil
    }

    /// The error for an unknown view, with suggestions.
    static func unknown(_ name: String, among names: [String]) -> Failure {
        Failure(.refused, Visible.text("\(missing(name, among: names)) To list them: todoctl view list"))
    }

    /// The message for an unknown view: `There is no view wrok; did you mean work?`.
    ///
    /// - Parameter who: the user of the name, as the rest of the sentence.
    static func missing(_ name: String, among names: [String], _ who: String = "") -> String {
        "There is no view \(name)\(who)" + (Spelling.question(about: name, among: names).map { "; \($0)" } ?? ".")
    }
}

extension Session {
    /// The saved views in order; empty if the daemon has no views.
    func savedViews(at point: Point? = nil) throws(Failure) -> [SavedView] { try client.savedViews(at: point) }

    func savedViews(named names: [String]) throws(Failure) -> [SavedView] {
        let known = try savedViews()
        var views: [SavedView] = []
        for name in names {
            guard let view = known.first(where: { $0.name.hasSameBytes(as: name) }) else {
                throw SavedView.unknown(name, among: known.map(\.name))
            }
            views.append(view)
        }
        return views
    }

    /// The text of a view's filter.
    ///
    /// - Throws: if it is invalid or refers to a view.
    func filterText(_ words: [String]) throws(Failure) -> String {
        let reader = filterReader()
        _ = try reader.filter(words, isView: true)
        return words.map { FilterTerm.spelled($0, reader) }.joined(separator: " ")
    }
}

extension Client {
    func savedViews(at point: Point? = nil) throws(Failure) -> [SavedView] {
        var views: [SavedView] = []
        do throws(Failure) {
            try stream(GetStateMethod.self, .init(scope: "views.items", at: point)) { answer throws(Failure) in
                views += (try answer.output().state["views"]?["items"]?.list ?? []).compactMap(SavedView.init)
                return .more
            }
        } catch {
            guard error.error.map({ Failure.short($0.name) }) == "UnknownScope" else { throw error }
        }
        return views
    }
}
