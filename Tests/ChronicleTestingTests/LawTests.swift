import Chronicle
import ChronicleTesting
import Testing

/// A list of numbers whose code violates the law that a test chooses.
private enum Numbers<Mistake: Breaking>: Feature {
    struct State: FieldCoding {
        var list: [Int64] = []
        mutating func visit<Visitor: FieldVisitor>(_ visitor: inout Visitor) throws(Visitor.Failure) {
            try visitor.field(1, "list", &list, .shown)
        }
    }

    enum Action: CaseCoding {
        case add([Int64])
        case set([Int64])

        static func defaultInstance(_ number: UInt32) -> Action? { number == 1 ? .add([]) : number == 2 ? .set([]) : nil }
        consuming func visited<Visitor: FieldVisitor>(by visitor: inout Visitor) throws(Visitor.Failure) -> Self {
            switch consume self {
            case .add(var numbers):
                visitor.choose(1, "add")
                try visitor.field(1, "numbers", &numbers)
                return .add(numbers)
            case .set(var numbers):
                visitor.choose(2, "set")
                try visitor.field(1, "numbers", &numbers)
                return .set(numbers)
            }
        }
    }

    static func kind(of action: Action) -> ActionKind { if case .set = action { .event } else { .command } }

    static func prepare(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action] {
        guard case .add(let numbers) = action, Mistake.law != .accepting else { throw Refusal("No", "no") }
        // The order of a set differs each time it is created.
        return [.add(Mistake.law == .deciding ? Array(Set(numbers)) : numbers)]
    }

    static func reduce(_ state: inout State, _ action: Action, _ context: Context) -> [Never] {
        switch action {
        case .add(let numbers): state.list += Mistake.law == .reducing ? Array(Set(numbers)) : numbers
        case .set(let numbers): state.list = Mistake.law == .undoing ? numbers.sorted() : numbers
        }
        return []
    }

    static func compensatingActions(from present: State, to wanted: State) throws(Refusal) -> [Action] {
        Mistake.law == .forgetting ? [] : [.set(wanted.list)]
    }

    static func changedScopes(from old: State, to new: State) -> ScopeSet {
        old == new || Mistake.law == .changing ? [] : ScopeSet(index: 0)
    }
}

private enum Law { case none, accepting, deciding, reducing, undoing, forgetting, changing }
private protocol Breaking: Sendable { static var law: Law { get } }
private enum Nothing: Breaking { static let law = Law.none }
private enum Accepting: Breaking { static let law = Law.accepting }
private enum Deciding: Breaking { static let law = Law.deciding }
private enum Reducing: Breaking { static let law = Law.reducing }
private enum Undoing: Breaking { static let law = Law.undoing }
private enum Forgetting: Breaking { static let law = Law.forgetting }
private enum Changing: Breaking { static let law = Law.changing }

@Suite struct LawTests {
    private func broken<Mistake: Breaking>(_ mistake: Mistake.Type) -> [String] {
        failures {
            checkLaws(of: Numbers<Mistake>.self, actions: [.add(Array((1...100).reversed())), .add([3, 1]), .set([2])])
        }.map { String($0.prefix { $0 != "\n" }) }
    }

    @Test func `a feature that obeys the laws passes`() {
        checkLaws(of: Numbers<Nothing>.self, actions: [.add(Array(1...100)), .add([3, 1]), .set([2])])
    }

    @Test func `each violated law is reported once with a message`() {
        #expect(broken(Deciding.self).contains("`prepare` decides differently about equal states."))
        #expect(broken(Reducing.self).contains("`reduce` gives different results for equal states."))
        #expect(
            Set(broken(Undoing.self)) == [
                "Undoing a change does not restore the state before it.", "Undoing an undo does not restore the state.",
            ])
        #expect(broken(Forgetting.self) == ["Undoing a change does not restore the state before it."])
        #expect(broken(Changing.self).first == "`changedScopes` is empty for states that differ, or not for equal ones.")
    }

    @Test func `actions that are never accepted are reported as insufficient`() {
        #expect(broken(Accepting.self).map { $0.hasPrefix("`prepare` accepts none of the actions") } == [true])
    }
}
