import Fields
import Reducing
import StoreTesting
import Testing

/// A feature of one state and one action that does nothing.
private enum Sample<State: Fielded, Action: Cased>: Feature {
    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] { [] }
}

private struct Fine: Fielded {
    var count: Int64 = 0

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.field(1, "count", &count)
    }
}

private struct Add: Cased {
    var amount: Int64 = 0

    static func blank(_ number: UInt32) -> Add? { number == 1 ? Add() : nil }

    consuming func visited<Visitor: FieldVisitor>(by fields: inout Visitor) throws(Visitor.Failure) -> Add {
        fields.choose(1, "add")
        try fields.field(1, "amount", &amount)
        return self
    }
}

// MARK: Each with one mistake

/// Its default is not the coded default.
private struct Eager: Fielded {
    var interval: Int64 = 3_600

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.field(1, "interval", &interval, .shown)
    }
}

/// The same in an action.
private struct AddOne: Cased {
    var amount: Int64 = 1

    static func blank(_ number: UInt32) -> AddOne? { number == 1 ? AddOne() : nil }

    consuming func visited<Visitor: FieldVisitor>(by fields: inout Visitor) throws(Visitor.Failure) -> AddOne {
        fields.choose(1, "add")
        try fields.field(1, "amount", &amount)
        return self
    }
}

/// The same of a field that has fields, as a member of a list.
private struct Outer: Fielded {
    var members: [Inner] = []

    struct Inner: Fielded {
        var fine = Fine()

        init() { fine.count = 5 }

        mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
            try fields.field(1, "fine", &fine)
        }
    }

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.field(1, "members", &members)
    }
}

/// Two fields have one number.
private struct Twins: Fielded {
    var title = ""
    var tags: [String] = []

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.field(3, "title", &title)
        try fields.field(3, "tags", &tags)
    }
}

/// A case is missing in `blank`.
private enum Partial: Cased {
    case open
    case close(id: UInt64)

    static func blank(_ number: UInt32) -> Partial? { number == 1 ? .open : nil }

    consuming func visited<Visitor: FieldVisitor>(by fields: inout Visitor) throws(Visitor.Failure) -> Partial {
        switch consume self {
        case .open:
            fields.choose(1, "open")
            return .open
        case .close(var id):
            fields.choose(2, "close")
            try fields.field(1, "id", &id)
            return .close(id: id)
        }
    }
}

/// Two cases have one number.
private enum Mixed: Cased {
    case open, close

    static func blank(_ number: UInt32) -> Mixed? {
        switch number {
        case 1: .open
        case 2: .close
        default: nil
        }
    }

    consuming func visited<Visitor: FieldVisitor>(by fields: inout Visitor) throws(Visitor.Failure) -> Mixed {
        fields.choose(1, self == .open ? "open" : "close")
        return self
    }

    static func == (left: Mixed, right: Mixed) -> Bool {
        switch (left, right) {
        case (.open, .open), (.close, .close): true
        default: false
        }
    }
}

/// Many fields.
private struct Wide<Amount: Number>: Fielded {
    var values = [Int64](repeating: 0, count: Amount.count)

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        for index in values.indices { try fields.field(UInt32(index + 1), "f\(index + 1)", &values[index]) }
    }
}

private protocol Number: Sendable { static var count: Int { get } }
private enum OverNumbers: Number { static let count = 64 }
private enum OverScopes: Number { static let count = 65 }

/// A child whose actions are in a case of another number.
private struct Parent: Fielded {
    var child = Fine()

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.child(2, "child", Sample<Fine, Add>.self, &child)
    }
}

private enum OfParent: Cased {
    case child(Add)

    static func blank(_ number: UInt32) -> OfParent? { number == 1 ? .child(Add()) : nil }

    consuming func visited<Visitor: FieldVisitor>(by fields: inout Visitor) throws(Visitor.Failure) -> OfParent {
        switch consume self {
        case .child(var action):
            try fields.whole(1, "child", &action)
            return .child(action)
        }
    }
}

/// A mistake, and what names it.
private struct Mistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let words: [String]
    let check: @Sendable () throws(CodingMistake) -> Void
    let test: @Sendable () -> Void

    init<State: Fielded, Action: Cased>(
        _ name: String, _ state: State.Type = Fine.self, _ action: Action.Type = Add.self, _ words: String...
    ) {
        (testDescription, self.words) = (name, words)
        check = { () throws(CodingMistake) in try Sample<State, Action>.checkCodings() }
        test = { TestStore(State(), of: Sample<State, Action>.self).finish() }
    }

    static let all: [Mistake] = [
        Mistake(
            "default of a state", Eager.self, Add.self, "Eager, field 1 “interval”", "its default is not the coded default",
            "change it"),
        Mistake("default of an action", Fine.self, AddOne.self, "AddOne, case “add”, field 1 “amount”", "its default is not"),
        Mistake("default of a member", Outer.self, Add.self, "Inner, field 1 “fine”", "its default is not"),
        Mistake(
            "one number for two fields", Twins.self, Add.self, "Twins, field 3 “tags”", "give it its own, in ascending order"),
        Mistake("missing case", Fine.self, Partial.self, "Partial has 2 cases", "`blank` makes 1 of them (open): add the others"),
        Mistake(
            "one number for two cases", Fine.self, Mixed.self, "Mixed: `blank(2)` is case 1 “close”", "give each case one number"),
        Mistake("number above 63", Wide<OverNumbers>.self, Add.self, "field 64 “f64”", "at most 63: move fields"),
        Mistake("too many scopes", Wide<OverScopes>.self, Add.self, "65 scopes, more than 64", "move fields"),
        Mistake(
            "child without its case", Parent.self, OfParent.self, "OfParent, case 2", "must hold the actions of the child “child”"
        ),
    ]
}

@Suite struct CodingMistakeTests {
    @Test(arguments: Mistake.all)
    private func `a coding that can't be read back is refused at the start and by the test store`(_ mistake: Mistake) throws {
        let found = #expect(throws: CodingMistake.self) { try mistake.check() }
        let message = try #require(found?.message)
        for word in mistake.words { #expect(message.contains(word)) }
        #expect(failures { mistake.test() }.first?.contains(message) == true)
    }

    @Test func `a coding without a mistake is accepted`() throws {
        try Sample<Fine, Add>.checkCodings()
        TestStore(Fine(), of: Sample<Fine, Add>.self).finish()
    }

    @Test func `the test store reads back each action and shows both where they differ`() {
        let failures = failures {
            let store = TestStore(Fine(), of: Sample<Fine, AddOne>.self)
            store.send(AddOne(amount: 5))
            store.send(AddOne(amount: 0))
            store.finish()
        }
        #expect(failures.count == 2)
        #expect(failures.last?.contains(#"{"add":{}} became {"add":{"amount":1}}"#) == true)
    }
}

// MARK: Children

/// A child with an event, and an action that names a row by its index.
private enum Item: Feature {
    struct State: Fielded {
        var done: [String] = []
        var other: Int64 = 0

        mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
            try fields.field(1, "done", &done)
            try fields.field(2, "other", &other)
        }
    }

    enum Action: Cased {
        case finish(index: Int)
        case finished

        static func blank(_ number: UInt32) -> Action? {
            switch number {
            case 1: .finish(index: 0)
            case 2: .finished
            default: nil
            }
        }

        consuming func visited<Visitor: FieldVisitor>(by fields: inout Visitor) throws(Visitor.Failure) -> Action {
            switch consume self {
            case .finish(var index):
                fields.choose(1, "finish")
                try fields.field(1, "index", &index)
                return .finish(index: index)
            case .finished:
                fields.choose(2, "finished")
                return .finished
            }
        }
    }

    static func nature(of action: Action) -> ActionNature { if case .finished = action { .fact } else { .order } }
    static func indexedScope(of action: Action) -> ScopeSet { if case .finish = action { ScopeSet(index: 1) } else { [] } }
    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] { [] }
}

/// A root that forwards nothing by hand.
private enum Root: Feature {
    struct State: Fielded {
        var count = Fine()
        var item = Item.State()

        mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
            try fields.child(1, "count", Sample<Fine, Add>.self, &count)
            try fields.child(2, "item", Item.self, &item)
        }
    }

    enum Action: Cased {
        case count(Add)
        case item(Item.Action)

        static func blank(_ number: UInt32) -> Action? {
            switch number {
            case 1: .count(Add())
            case 2: .item(.finished)
            default: nil
            }
        }

        consuming func visited<Visitor: FieldVisitor>(by fields: inout Visitor) throws(Visitor.Failure) -> Action {
            switch consume self {
            case .count(var action):
                try fields.whole(1, "count", &action)
                return .count(action)
            case .item(var action):
                try fields.whole(2, "item", &action)
                return .item(action)
            }
        }
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] { [] }
}

@Suite struct ForwardingTests {
    @Test func `an event of a child is an event of a root that does not say so, and no client may dispatch it`() throws {
        try Root.checkCodings()
        #expect(Root.nature(of: .item(.finished)) == .fact)
        #expect(Root.nature(of: .item(.finish(index: 0))) == .order)
        #expect(Root.nature(of: .count(Add())) == .order)
        let store = TestStore(Root.State(), of: Root.self)
        store.refuse(.item(.finished), name: "FactNotAllowed")
        store.send(.item(.finish(index: 0)))
        store.finish()
    }

    @Test func `an index in an action of a child refers to the scope that the root has for it`() {
        #expect(Root.scopes == ["count", "count.count", "item", "item.done", "item.other"])
        #expect(Root.indexedScope(of: .item(.finish(index: 0))) == ScopeSet(index: 4))
        #expect(Root.indexedScope(of: .item(.finished)).isEmpty && Root.indexedScope(of: .count(Add())).isEmpty)
    }
}
