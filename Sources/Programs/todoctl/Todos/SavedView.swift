import Chronicle
import TodoAPI
import Varlink

/// A filter that the daemon keeps under a name: `@work` in a filter stands for it.
struct SavedView: Equatable {
    var id: Int64
    var name: String
    var filter: String
    /// How `list` sorts its todos; `nil`: as it always does.
    var sort: TodoOrder?

    /// Reads what the daemon has; `nil` of what is none.
    init?(_ element: Value) {
        guard let id = element["id"]?.int, let name = element["name"]?.text, let filter = element["filter"]?.text else {
            return nil
        }
        (self.id, self.name, self.filter) = (id, name, filter)
        // What a newer client sorts by is not known here.
        sort = element["sort"]?.text.flatMap(TodoOrder.init(rawValue:))
    }

    /// `work: +work is:open (sorted by due)`.
    var line: String {
        "\(Visible.text(name)): \(Visible.text(filter))" + (sort.map { " (sorted by \($0.rawValue))" } ?? "")
    }

    /// The action that saves one.
    static func saving(_ name: String, _ filter: String, sort: TodoOrder?) -> Value {
        var fields: [Value.Field] = [.init("name", .text(name)), .init("filter", .text(filter))]
        if let sort { fields.append(.init("sort", .text(sort.rawValue))) }
        return FeatureAction.make("views", "save", .record(fields))
    }

    /// The action that takes one away.
    static func removing(_ id: Int64) -> Value { FeatureAction.make("views", "remove", ["id": .int(id)]) }

    /// The name that a word of a filter stands for: `work` of `@work`; `nil` of any other word.
    static func named(by word: some StringProtocol) -> String? {
        word.utf8.count > 1 && word.first == "@" ? String(word.dropFirst()) : nil
    }

    /// What is said where there is none of a name: with those that may be meant.
    static func unknown(_ name: String, among names: [String]) -> Failure {
        Failure(.refused, Visible.text("\(missing(name, among: names)) To list those that there are: todoctl view list"))
    }

    /// `There is no view wrok; did you mean work?`, as a sentence.
    ///
    /// - Parameter who: who names it, as the rest of the sentence.
    static func missing(_ name: String, among names: [String], _ who: String = "") -> String {
        "There is no view \(name)\(who)" + (Spelling.question(about: name, among: names).map { "; \($0)" } ?? ".")
    }
}

extension Session {
    /// The views that are saved, in the order in which they were; none of a daemon that knows no views.
    func savedViews(at point: Point? = nil) throws(Failure) -> [SavedView] { try client.savedViews(at: point) }

    /// Those of some names, in their order; says so where there is none of one.
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

    /// A filter as the text of a view.
    ///
    /// - Throws: where it can't be read, or names a view.
    func filterText(_ words: [String]) throws(Failure) -> String {
        let reader = filterReader()
        _ = try reader.filter(words, isView: true)
        return words.map { FilterTerm.spelled($0, reader) }.joined(separator: " ")
    }
}

extension Client {
    /// The views that are saved, in the order in which they were; none of a daemon that knows no views.
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
