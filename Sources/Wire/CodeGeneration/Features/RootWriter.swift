/// Writes the Swift of a feature that is composed of others and forwards every call to the child that it concerns.
struct RootWriter {
    let schema: Schema

    private var children: [Schema.Child] { schema.children }
    private var apart: [Schema.Child] { children.filter(\.isApart) }
    private var working: [Schema.Child] { children.filter(\.hasTasks) }
    private var inPlace: [Schema.Child] { children.filter { !$0.isApart } }

    @Lines var lines: [String] {
        SwiftText.block("public enum \(schema.name): ComposedFeature") {
            "/// The states of the children. States that change rarely are stored apart, so that copies share them."
            SwiftText.block("public struct State: FieldCoding, CustomReflectable") { state }
            cases("Action", "CaseCoding", children) { decoding }
            if working.isEmpty {
                "public typealias Command = Never"
            } else {
                cases("Command", "CaseCoding, NamedCommand", working) { command }
            }
            each(
                children,
                """
                /// The place of the child in this feature.
                public static let NAME = Embedding<\(schema.name), FEATURE>(
                "NAME",
                Scope(
                state: { $0.NAME }, modify: { $1(&$0.NAME) }, embed: Action.NAME,
                extract: { if case .NAME(let action) = $0 { action } else { nil } }))
                """)
            forwarding
            comparisons
            schema.refusalNames
            documentation
        }
    }

    /// A template for each child, with its number, its name and its feature in place of NUMBER, NAME and FEATURE.
    private func each(_ children: [Schema.Child], _ template: String) -> [String] {
        children.map { child in
            template.replacing(#/NAME|FEATURE|NUMBER/#) { match in
                match.output == "NAME" ? child.name : match.output == "FEATURE" ? child.feature : "\(child.number)"
            }
        }
    }

    private func commented(_ children: [Schema.Child], _ template: String) -> [String] {
        children.flatMap { SwiftText.comment($0.documentation) + each([$0], template) }
    }

    @Lines private var state: [String] {
        commented(inPlace, "public var NAME = FEATURE.State()")
        if !apart.isEmpty {
            SwiftText.block("private struct OutOfLineStates: Sendable, Equatable") { each(apart, "var NAME = FEATURE.State()") }
            """
            private static let initialOutOfLine = [OutOfLineStates()]
            // Always one element.
            private var apart = Self.initialOutOfLine
            """
            commented(apart, "public var NAME: FEATURE.State {\nget { apart[0].NAME }\n_modify { yield &apart[0].NAME }\n}")
        }
        "public init() {}"
        SwiftText.block("public init(\(each(children, "NAME: FEATURE.State = .init()").joined(separator: ", ")))") {
            each(inPlace, "self.NAME = NAME")
            if !apart.isEmpty { "apart = [OutOfLineStates(\(each(apart, "NAME: NAME").joined(separator: ", ")))]" }
        }
        SwiftText.block(TypeWriter.visit) {
            if !apart.isEmpty { "var states = apart[0]" }
            for child in children.sorted(by: { $0.number < $1.number }) {
                each([child], "try visitor.child(NUMBER, \"NAME\", FEATURE.self, &\(child.isApart ? "states." : "")NAME)")
            }
            if !apart.isEmpty {
                "// States that are equal stay shared."
                "if Visitor.changesFields, states != apart[0] { apart[0] = states }"
            }
        }
        "/// Whether the states stored apart are the same storage, in constant time."
        SwiftText.block("func sharesApart(with other: State) -> Bool") {
            apart.isEmpty ? "true" : "let (left, right) = (apart.span, other.apart.span)\nreturn left.isIdentical(to: right)"
        }
        TypeWriter.mirror(children.map { ($0.name, $0.name) })
    }

    @Lines private func cases(
        _ name: String, _ conformance: String, _ children: [Schema.Child], @Lines _ rest: () -> [String]
    ) -> [String] {
        "/// One case for each child."
        SwiftText.block("public enum \(name): \(conformance)") {
            commented(children, "case NAME(FEATURE.\(name))")
            SwiftText.choosing("public static func defaultInstance(_ number: UInt32) -> \(name)?", by: "number", default: "nil") {
                each(children, "case NUMBER: FEATURE.\(name).first.map(\(name).NAME)")
            }
            "public static let noun = \"feature\""
            SwiftText.choosing(CaseWriter.visited, by: "consume self") {
                each(
                    children,
                    """
                    case .NAME(var content):
                    try visitor.whole(NUMBER, "NAME", &content)
                    return .NAME(content)
                    """)
            }
            rest()
        }
    }

    /// Decodes without a visitor, because every record of a replay passes here and the general way takes a seventh longer.
    @Lines private var decoding: [String] {
        """
        public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        guard let number = try cursor.nextField(in: bytes) else { throw CanonicalError(.missingField(1), at: cursor.offset) }
        var inner = try cursor.enterSingle(bytes)
        switch number {
        """
        each(children, "case NUMBER: self = .NAME(try FEATURE.Action(from: bytes, &inner))")
        """
        default: throw cursor.unknown()
        }
        guard inner.isAtEnd, cursor.isAtEnd else { throw CanonicalError(.trailingBytes, at: cursor.offset) }
        }
        """
    }

    @Lines private var command: [String] {
        SwiftText.choosing("private var command: any NamedCommand") { each(working, "case .NAME(let command): command") }
        """
        public var name: String { command.name }
        public var version: UInt32 { command.version }
        public var isPresentational: Bool { command.isPresentational }
        public var leavesTrace: Bool { command.leavesTrace }
        public var mayHoldText: Bool { command.mayHoldText }
        public var arguments: Value { command.arguments }
        public var policy: CommandPolicy { command.policy.under(caseName) }
        """
        SwiftText.choosing("public func with(arguments: Value) throws(ValueMismatch) -> Command") {
            each(working, "case .NAME(let command): .NAME(try command.with(arguments: arguments))")
        }
    }

    @Lines private var forwarding: [String] {
        forward(
            "prepareChild(_ action: Action, _ state: State, _ context: Context) throws(Refusal) -> [Action]",
            "try FEATURE.prepare(action, state.NAME, context).map(Action.NAME)")
        SwiftText.choosing(
            "public static func reduceChild(_ state: inout State, _ action: Action, _ context: Context) -> [Command]",
            by: "action"
        ) {
            // Most actions request nothing, so they skip the call.
            for child in children {
                let (commands, mapped) =
                    child.hasTasks
                    ? ("let commands", "commands.isEmpty ? [] : commands.map(Command.NAME)") : ("let _: [Never]", "[]")
                let reduced = "\(commands) = FEATURE.reduce(&state.NAME, action, context)"
                each([child], "case .NAME(let action):\n\(reduced)\nreturn \(mapped)")
            }
        }
        if !working.isEmpty {
            forward(
                "endedChild(_ command: Command, _ end: CommandEnd) -> Action?", by: "command",
                "FEATURE.ended(command, end).map(Action.NAME)")
            forward(
                "input(for command: Command, in state: State) -> Value", by: "command",
                "FEATURE.input(for: command, in: state.NAME)")
        }
        forward("kind(of action: Action) -> ActionKind", "FEATURE.kind(of: action)")
        forward("cost(of action: Action, in state: State) -> Int", "FEATURE.cost(of: action, in: state.NAME)")
        forward("created(by action: Action) -> [UInt64]", "FEATURE.created(by: action)")
        forward("existing(for action: Action, in state: State) -> [UInt64]", "FEATURE.existing(for: action, in: state.NAME)")
        forward("overwrittenScopes(by action: Action) -> ScopeSet", "Self.NAME.lifted(FEATURE.overwrittenScopes(by: action))")
        forward(
            "scopes(of action: Action) -> ScopeSet",
            "Self.NAME.lifted(FEATURE.scopes(of: action)).union(ScopeSet(index: Self.NAME.offset))")
        forward(
            "indexedScope(of action: Action) -> ScopeSet", "FEATURE.indexedScope(of: action).shifted(by: Self.NAME.offset + 1)")
        SwiftText.block("public static var overwritableScopes: ScopeSet") {
            "var scopes: ScopeSet = []"
            each(children, "scopes.formUnion(NAME.lifted(FEATURE.overwritableScopes))")
            "return scopes"
        }
        """
        public static func compensatingActions(from present: State, to wanted: State) throws(Refusal) -> [Action] {
        var actions: [Action] = []
        func add<Child: Feature>(
        _ child: Child.Type, _ present: Child.State, _ wanted: Child.State, _ embed: (Child.Action) -> Action
        ) throws(Refusal) {
        if Child.changedScopes(from: present, to: wanted).isEmpty { return }
        actions += try Child.compensatingActions(from: present, to: wanted).map(embed)
        }
        """
        each(children, "try add(FEATURE.self, present.NAME, wanted.NAME, Action.NAME)")
        "return actions\n}"
    }

    private func forward(_ signature: String, by subject: String = "action", _ answer: String) -> [String] {
        SwiftText.choosing("public static func " + signature, by: subject) {
            each(subject == "action" ? children : working, "case .NAME(let \(subject)): \(answer)")
        }
    }

    /// They run at every dispatch, and compare separately stored states only if the storage differs.
    @Lines private var comparisons: [String] {
        let changed = "scopes.formUnion(Self.NAME.lifted(FEATURE.changedScopes(from: old.NAME, to: new.NAME)))"
        let growths = inPlace.isEmpty ? ["0"] : each(inPlace, "FEATURE.growth(from: old.NAME, to: new.NAME)")
        """
        public static let scopes = State.scopeNames
        public static let shape = State.shape
        public static func changedScopes(from old: State, to new: State) -> ScopeSet {
        var scopes: ScopeSet = []
        """
        each(inPlace, changed)
        "if old.sharesApart(with: new) { return scopes }"
        each(apart, changed)
        """
        return scopes
        }
        public static func growth(from old: State?, to new: State) -> Int {
        guard let old, old.sharesApart(with: new) else { return new.growth(since: old) }
        return \(growths.joined(separator: " + "))
        }
        public static func changes(from old: State, to new: State, limit: Int, within names: [String]) -> [Change]? {
        guard old.sharesApart(with: new) else { return new.changes(from: old, limit: limit, within: names) }
        var changes: [Change] = []
        func add<Child: Feature>(_ name: String, _ child: Child.Type, _ old: Child.State, _ new: Child.State) -> Bool {
        guard names.first.map({ $0.hasSameBytes(as: name) }) ?? true else { return true }
        let more = Child.changes(from: old, to: new, limit: limit - changes.count, within: Array(names.dropFirst()))
        changes += more?.map { $0.under(name) } ?? []
        return more != nil
        }
        """
        each(inPlace, "guard add(\"NAME\", FEATURE.self, old.NAME, new.NAME) else { return nil }")
        """
        return changes
        }
        public static func changes(from old: State, to new: State, limit: Int) -> [Change]? {
        changes(from: old, to: new, limit: limit, within: [])
        }
        """
    }

    @Lines private var documentation: [String] {
        "/// The comments of the refusals, and those of the children's schemas under the names of the children."
        "public static let documentation: [String: String] = {"
        Schema.dictionary("var all", schema.refusalEntries)
        """
        func add(_ name: String, _ texts: [String: String]) {
        for (key, text) in texts { all[key.isEmpty ? name : name + "." + key] = text }
        }
        """
        each(children, "add(\"NAME\", FEATURE.documentation)")
        "return all\n}()"
        let times = each(children, "(\"NAME\", FEATURE.times)").joined(separator: ", ")
        "public static let times = ([\(times)] as [(String, [String])]).flatMap { name, times in times.map { name + \".\" + $0 } }"
    }
}
