import Chronicle
import Dates

struct Filter: Equatable {
    /// `nil` matches all todos.
    var condition: FilterCondition?
    /// Whether the filter specifies if done todos match, or names ids.
    var isDefinite = false
    /// Whether the filter specifies if waiting todos match.
    var saysWaiting = false
    /// The ids, if the filter is only a list of ids.
    var ids: [Int64]?

    var clause: Clause? { condition?.clause }
}

/// Parses filters: `bank +work due<friday`, `11-13 or (is:overdue not +home)`.
///
/// It is a pure translation to the daemon's expression language. Adjacent words must all match; `or` binds weaker. Incomplete
/// dates are in the past for conditions of instants (`created>friday`) and in the future for due dates.
struct FilterReader {
    /// Maximum nesting of parentheses and `not`, below the daemon's limit.
    static let depthMax = 10

    /// Seconds since 1970, for relative dates.
    var now: Int64
    var zone: Zone
    /// The first day of the week: 0 is Sunday.
    var weekBegin = 1
    /// The moment for overdue and waiting.
    var moment: Moment
    /// The filters of `@work` and other views, by name.
    var views: [String: String] = [:]

    /// Parses the arguments of a verb.
    ///
    /// An argument that is a condition of a date may contain spaces (`due<next friday`). Others are split.
    /// - Parameter isView: whether the filter becomes a view, which must not name other views.
    /// - Throws: also for an empty argument: an unset variable of a script would otherwise match everything.
    func filter(_ arguments: [String], isView: Bool = false) throws(Failure) -> Filter {
        guard !arguments.contains(where: { $0.allSatisfy(\.isWhitespace) }) else {
            throw Failure(.usage, "An argument of the filter is empty. For all open todos, write is:open.")
        }
        var tokens = try tokens(of: arguments, isView: isView)[...]
        guard !tokens.isEmpty else { return Filter() }
        var named: Set<Int64> = []
        let ids =
            tokens.allSatisfy(\.isListOfIDs)
            ? tokens.flatMap { $0.term?.ranges.map(\.lowerBound) ?? [] }.filter { named.insert($0).inserted } : nil
        let isDefinite = tokens.contains { $0.term?.isDefinite == true }
        let saysWaiting = tokens.contains { $0.term?.saysWaiting == true }
        let condition = try alternatives(&tokens, depth: 0)
        guard tokens.isEmpty else { throw Failure(.usage, "In the filter a closing parenthesis has no opening one.") }
        return Filter(
            condition: condition, isDefinite: isDefinite || ids != nil, saysWaiting: saysWaiting, ids: ids)
    }

    /// The tokens of the arguments; views are expanded in parentheses.
    private func tokens(of arguments: [String], isView: Bool) throws(Failure) -> [FilterToken] {
        try FilterToken.tokens(
            of: arguments,
            view: { name throws(Failure) in
                guard !isView else {
                    throw Failure(
                        .usage, Visible.text("A view can't refer to another view, such as @\(name). Write its filter instead."))
                }
                guard let filter = views.first(where: { $0.key.hasSameBytes(as: name) })?.value else {
                    var failure = SavedView.unknown(name, among: views.keys.sorted())
                    failure.code = .usage
                    failure.message += "\nTo look for the word: text:@" + Visible.text(name)
                    throw failure
                }
                return try [.open] + tokens(of: [filter], isView: true) + [.close]
            },
            term: { word, isQuoted throws(Failure) in
                try isQuoted ? FilterTerm(word: String(word)) : FilterTerm.reading(word, self)
            })
    }

    private func alternatives(_ tokens: inout ArraySlice<FilterToken>, depth: Int) throws(Failure) -> FilterCondition {
        var conditions = [try conjunction(&tokens, depth: depth)]
        while tokens.first == .or {
            tokens.removeFirst()
            conditions.append(try conjunction(&tokens, depth: depth))
        }
        return conditions.count == 1 ? conditions[0] : .any(conditions)
    }

    private func conjunction(_ tokens: inout ArraySlice<FilterToken>, depth: Int) throws(Failure) -> FilterCondition {
        var conditions: [FilterCondition] = []
        while let token = tokens.first, token != .or, token != .close {
            if token == .and, !conditions.isEmpty { tokens.removeFirst() }
            if case .term(let term) = tokens.first, !term.ranges.isEmpty {
                var ranges: [ClosedRange<Int64>] = []
                while case .term(let next) = tokens.first, !next.ranges.isEmpty {
                    ranges += next.ranges
                    tokens.removeFirst()
                }
                conditions.append(.term(FilterTerm(ids: ranges)))
            } else {
                conditions.append(try factor(&tokens, depth: depth))
            }
        }
        guard !conditions.isEmpty else {
            throw Failure(.usage, "In the filter a condition is missing, before or after “or”, “and”, “not” or a parenthesis.")
        }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private func factor(_ tokens: inout ArraySlice<FilterToken>, depth: Int) throws(Failure) -> FilterCondition {
        let token = tokens.popFirst()
        guard depth < Self.depthMax || token?.term != nil else {
            throw Failure(.usage, "A filter has at most \(Self.depthMax) nested parentheses and “not”.")
        }
        switch token {
        case .term(let term): return .term(term)
        case .not: return .not(try factor(&tokens, depth: depth + 1))
        case .open:
            let inner = try alternatives(&tokens, depth: depth + 1)
            guard tokens.popFirst() == .close else { throw Failure(.usage, "In the filter a parenthesis is not closed.") }
            return inner
        case .or, .and, .close, nil:
            throw Failure(.usage, "In the filter a condition is missing, before or after “or”, “and”, “not” or a parenthesis.")
        }
    }
}

indirect enum FilterCondition: Equatable {
    case term(FilterTerm)
    case not(FilterCondition)
    case all([FilterCondition])
    case any([FilterCondition])

    var clause: Clause {
        switch self {
        case .term(let term): term.clause
        case .not(let condition): .not(condition.clause)
        case .all(let conditions): Clause(conditions.map(\.clause), .and)
        case .any(let conditions): Clause(conditions.map(\.clause), .or)
        }
    }
}

struct Clause: Equatable {
    enum Binding: Int {
        case or
        case and
        case tight
    }

    var text: String
    var binding: Binding

    init(_ text: String, _ binding: Binding = .tight) {
        self.text = text
        self.binding = binding
    }

    /// Joins clauses with `and` or `or`.
    init(_ clauses: [Clause], _ binding: Binding) {
        guard clauses.count != 1 else {
            self = clauses[0]
            return
        }
        text = clauses.map { $0.within(binding) }.joined(separator: binding == .or ? " or " : " and ")
        self.binding = binding
    }

    static func not(_ clause: Clause) -> Clause { Clause("not " + clause.within(.tight)) }

    private func within(_ outer: Binding) -> String { binding.rawValue < outer.rawValue ? "(\(text))" : text }
}
