import ArgumentParser
import TodoAPI

struct InvariantVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invariant", abstract: "Set conditions that every state must meet; list them.",
        discussion: """
            EXAMPLES:
              todoctl invariant add not-negative 'counter.count >= 0'
              todoctl invariant list
              todoctl invariant remove not-negative

            What would break one is refused, and a command whose result would is parked.
            """,
        subcommands: [InvariantAdd.self, InvariantRemove.self, InvariantList.self], defaultSubcommand: InvariantList.self)
}

struct InvariantAdd: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Set a condition that every state must meet.",
        discussion: """
            EXAMPLES:
              todoctl invariant add not-negative 'counter.count >= 0'
              todoctl invariant add titled 'all(todo in todos.items: todo.title != "")'

            The same name again sets it anew. It is judged after each dispatch as a whole, from what that changed: a loop goes over a list,
            and its condition reads nothing but the element. If the past breaks it already, the first record that does is told, and why that is
            there.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The name; as that of a bookmark.", completion: .invariants)
    var name: String

    @Argument(help: "The condition.")
    var expression: String

    func run(_ session: Session) throws {
        let input = SetInvariantMethod.Input(name: name, expression: expression)
        do throws(Failure) {
            try session.show(SetInvariantMethod.self, input) { answer in
                answer.holds
                    ? ["\(Visible.text(name)) stands."]
                    : ["\(Visible.text(name)) stands, but it does not hold now: it is kept once it does."]
            }
        } catch {
            throw InvariantAdd.telling(error)
        }
        if !session.isJSON { try tellViolation(session) }
    }

    /// Says what a name and a condition may be.
    private static func telling(_ failure: Failure) -> Failure {
        var failure = failure
        switch failure.known {
        case .invalidParameter("name"):
            failure.message =
                "A name begins with a letter, goes on with letters, digits, '-', '_' and '.', and has at most "
                + "\(SetInvariantMethod.nameBytesMax) bytes. It is no word that stands for a moment, or begins one, as base and friday do."
        case .invalidParameter("expression"):
            failure.message = "A condition has at most \(SetInvariantMethod.expressionBytesMax) bytes."
        default: break
        }
        return failure
    }

    /// Tells the first record after which it did not hold, and why that is there.
    private func tellViolation(_ session: Session) throws {
        let checked = try session.scan(.init(question: .violations, expression: expression)).output()
        guard let first = checked.violations?.first?.from else { return }
        let quoted = "'not (\(Visible.text(expression).replacing("'", with: "'\\''")))'"
        guard first > checked.from ?? 0 else {
            return session.show([
                first == 0
                    ? "It did not hold before the first record."
                    : "It did not hold at record \(first) already, where the log begins."
            ])
        }
        try session.show(WhyMethod.self, .init(sequence: first)) { why in
            ["It did not hold after record \(first); todoctl bisect --where \(quoted) tells more."] + session.lines(why: why)
        }
    }
}

struct InvariantRemove: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take such a condition away.", examples: "todoctl invariant remove not-negative")

    @OptionGroup var options: Options

    @Argument(help: "The name.", completion: .invariants)
    var name: String

    func run(_ session: Session) throws {
        try session.show(RemoveInvariantMethod.self, .init(name: name)) { _ in
            ["Removed the invariant \(Visible.text(name))."]
        }
    }
}

struct InvariantList: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the conditions that every state must meet.", examples: "todoctl invariant list")

    @OptionGroup var options: Options

    func run(_ session: Session) throws {
        try session.show(InvariantsMethod.self, NoFields()) { answer in
            answer.invariants.map { invariant in
                let state = invariant.holds.map { $0 ? "holds" : "does not hold" } ?? "can't be read by this version"
                return "\(Visible.text(invariant.name))  \(Visible.text(invariant.expression))  \(state)"
            }
        }
    }
}
