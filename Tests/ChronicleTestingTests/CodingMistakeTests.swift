import Chronicle
import ChronicleTesting
import Testing

/// A feature with one state and one action that does nothing.
private enum Sample<State: FieldCoding, Action: CaseCoding>: Feature {
    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] { [] }
}

private struct Fine: FieldCoding {
    var count: Int64 = 0

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.field(1, "count", &count)
    }
}

private struct Add: CaseCoding {
    var amount: Int64 = 0

    static func defaultInstance(_ number: UInt32) -> Add? { number == 1 ? Add() : nil }

    consuming func visited<Visitor: FieldVisitor>(by fields: inout Visitor) throws(Visitor.Failure) -> Add {
        fields.choose(1, "add")
        try fields.field(1, "amount", &amount)
        return self
    }
}

// MARK: - Each with one mistake

/// Its default differs from the coded default.
private struct Eager: FieldCoding {
    var interval: Int64 = 3_600

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.field(1, "interval", &interval, .shown)
    }
}

/// The same in an action.
private struct AddOne: CaseCoding {
    var amount: Int64 = 1

    static func defaultInstance(_ number: UInt32) -> AddOne? { number == 1 ? AddOne() : nil }

    consuming func visited<Visitor: FieldVisitor>(by fields: inout Visitor) throws(Visitor.Failure) -> AddOne {
        fields.choose(1, "add")
        try fields.field(1, "amount", &amount)
        return self
    }
}

/// The same in a nested field, as an element of a list.
private struct Outer: FieldCoding {
    var members: [Inner] = []

    struct Inner: FieldCoding {
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

/// Two fields have the same number.
private struct Twins: FieldCoding {
    var title = ""
    var tags: [String] = []

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.field(3, "title", &title)
        try fields.field(3, "tags", &tags)
    }
}

/// A case is missing in `defaultInstance`.
private enum Partial: CaseCoding {
    case open
    case close(id: UInt64)

    static func defaultInstance(_ number: UInt32) -> Partial? { number == 1 ? .open : nil }

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

/// Two cases have the same number.
private enum Mixed: CaseCoding {
    case open, close

    static func defaultInstance(_ number: UInt32) -> Mixed? {
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
private struct Wide<Amount: Number>: FieldCoding {
    var values = [Int64](repeating: 0, count: Amount.count)

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        for index in values.indices { try fields.field(UInt32(index + 1), "f\(index + 1)", &values[index]) }
    }
}

private protocol Number: Sendable { static var count: Int { get } }
private enum OverNumbers: Number { static let count = 64 }
private enum OverScopes: Number { static let count = 65 }

/// A child whose actions are in a case with another number.
private struct Parent: FieldCoding {
    var child = Fine()

    mutating func visit<Visitor: FieldVisitor>(_ fields: inout Visitor) throws(Visitor.Failure) {
        try fields.child(2, "child", Sample<Fine, Add>.self, &child)
    }
}

private enum OfParent: CaseCoding {
    case child(Add)

    static func defaultInstance(_ number: UInt32) -> OfParent? { number == 1 ? .child(Add()) : nil }

    consuming func visited<Visitor: FieldVisitor>(by fields: inout Visitor) throws(Visitor.Failure) -> OfParent {
        switch consume self {
        case .child(var action):
            try fields.whole(1, "child", &action)
            return .child(action)
        }
    }
}

/// A mistake, and the name in its message.
private struct Mistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let words: [String]
    let check: @Sendable () throws(CodingMistake) -> Void
    let test: @Sendable () -> Void

    init<State: FieldCoding, Action: CaseCoding>(
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
        Mistake(
            "missing case", Fine.self, Partial.self, "Partial has 2 cases",
            "`defaultInstance` makes 1 of them (open): add the others"),
        Mistake(
            "one number for two cases", Fine.self, Mixed.self, "Mixed: `defaultInstance(2)` is case 1 “close”",
            "give each case one number"),
        Mistake("number above 63", Wide<OverNumbers>.self, Add.self, "field 64 “f64”", "at most 63: move fields"),
        Mistake("too many scopes", Wide<OverScopes>.self, Add.self, "65 scopes, more than 64", "move fields"),
        Mistake(
            "child without its case", Parent.self, OfParent.self, "OfParent, case 2", "must hold the actions of the child “child”"
        ),
    ]
}

@Suite struct CodingMistakeTests {
    @Test(arguments: Mistake.all)
    private func `a coding that can't be decoded again is refused at the start and by the test store`(_ mistake: Mistake) throws {
        let found = #expect(throws: CodingMistake.self) { try mistake.check() }
        let message = try #require(found?.message)
        for word in mistake.words { #expect(message.contains(word)) }
        #expect(failures { mistake.test() }.first?.contains(message) == true)
    }

    @Test func `a coding without a mistake is accepted`() throws {
        try Sample<Fine, Add>.checkCodings()
        TestStore(Fine(), of: Sample<Fine, Add>.self).finish()
    }

    @Test func `the test store decodes each action again and shows both if they differ`() {
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
