import ArgumentParser
import TodoAPI

struct InvariantVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invariant", abstract: "Set, remove and list conditions that every state must meet.",
        discussion: """
            EXAMPLES:
              todoctl invariant add not-negative 'counter.count >= 0'
              todoctl invariant list
              todoctl invariant remove not-negative

            A change that would break one is refused, and a command whose result would break one is parked.
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

            An existing name gets the new condition. It is checked after each dispatch for the changed elements: a loop iterates
            over a list, and its body reads only the element. If a past state breaks the condition, the first such record and its
            cause are shown.
            """)

    @OptionGroup var options: Options

    @Argument(help: "The name, as for a bookmark.", completion: .invariants)
    var name: String

    @Argument(help: "The condition.")
    var expression: String

    func run(_ session: Session) throws {
        let input = SetInvariantMethod.Input(name: name, expression: expression)
        do throws(Failure) {
            try session.show(SetInvariantMethod.self, input) { answer in
                answer.holds
                    ? ["Set the invariant \(Visible.text(name))."]
                    : ["Set the invariant \(Visible.text(name)). It is false now, and enforced once it is true."]
            }
        } catch {
            throw InvariantAdd.explained(error)
        }
        if !session.isJSON { try showViolation(session) }
    }

    /// Adds the limits of names and conditions to a failure.
    private static func explained(_ failure: Failure) -> Failure {
        var failure = failure
        switch failure.known {
        case .invalidParameter("name"):
            failure.message =
                "A name begins with a letter, followed by letters, digits, '-', '_' and '.', in at most "
                + "\(SetInvariantMethod.nameBytesMax) bytes. Words that name or begin a point, such as base and friday, are not allowed."
        case .invalidParameter("expression"):
            failure.message = "A condition has at most \(SetInvariantMethod.expressionBytesMax) bytes."
        default: break
        }
        return failure
    }

    /// Shows the first record after which the condition was false, and its cause.
    private func showViolation(_ session: Session) throws {
        let checked = try session.scan(.init(question: .violations, expression: expression)).output()
        guard let first = checked.violations?.first?.from else { return }
        let quoted = "'not (\(Visible.text(expression).replacing("'", with: "'\\''")))'"
        guard first > checked.from ?? 0 else {
            return session.show([
                first == 0
                    ? "The condition was false before the first record."
                    : "The condition was already false at record \(first), where the log begins."
            ])
        }
        try session.show(WhyMethod.self, .init(sequence: first)) { why in
            ["The condition was false after record \(first). Details: todoctl bisect --where \(quoted)"] + session.lines(why: why)
        }
    }
}

struct InvariantRemove: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove an invariant.", examples: "todoctl invariant remove not-negative")

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
        commandName: "list", abstract: "List the invariants, and whether they hold.", examples: "todoctl invariant list")

    @OptionGroup var options: Options

    func run(_ session: Session) throws {
        try session.show(InvariantsMethod.self, NoFields()) { answer in
            answer.invariants.map { invariant in
                let state = invariant.holds.map { $0 ? "holds" : "does not hold" } ?? "not supported by this version"
                return "\(Visible.text(invariant.name))  \(Visible.text(invariant.expression))  \(state)"
            }
        }
    }
}
