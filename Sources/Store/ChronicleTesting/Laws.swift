public import Chronicle

/// Checks the laws of a feature, and fails the test with a sentence for each law that is broken.
///
/// Each action is applied to each state. The accepted actions are also applied one after the other, from each state on.
///
/// - A value is read back as it was written, as bytes and by name. Changed bytes are refused or are another value.
/// - `prepare` decides equally about equal states. Its result can be logged. A new hash table has a new order, so a decision that depends
///   on such an order is found, too.
/// - `reduce` accepts every action in every state and gives equal results for equal states. Commands of logged actions can be logged.
/// - The changes between two states lead from the one to the other. Equal states have no changes.
/// - What a client dispatches can be undone without a conflict. That gives back the state before it if no command was requested,
///   and undoing the undo gives back the state after it. Ids stay assigned.
///
/// An action that can't be read back, such as one with an impossible id, is never in a log: it is prepared, and not applied.
///
/// ```swift
/// @Test func `links obey the laws`() {
///     checkLaws(of: Links.self, actions: [.add(link), .rename(1, title: "Swift"), .remove(1)])
/// }
/// ```
/// - Parameters:
///   - states: the states to begin with, which can be read back.
///   - actions: sample actions, as dispatched or as logged; also such that are refused.
///   - kept: scopes, or fields of a child's state, that an undo leaves as they are. For a field of rows, the whole table.
public func checkLaws<App: Feature>(
    of app: App.Type, states: [App.State] = [App.State()], actions: [App.Action], keeping kept: [String] = [],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) where App.Command: CanonicalCodable {
    let place = IssuePlace(fileID: fileID, filePath: filePath, line: line, column: column)
    do throws(CodingMistake) { try App.checkCodings() } catch { return place.report(error.message) }
    var check = LawCheck<App>(place: place, kept: kept)
    for state in states { check.coding(of: state, isNamed: check.isNamed(state)) }
    for action in actions where check.isReadable(action) { check.coding(of: action, isNamed: check.isNamed(action)) }
    for (old, new) in zip(states, states.dropFirst()) { check.changes(between: old, and: new) }
    for state in states {
        var reached = state
        for action in actions {
            check.apply(action, to: state)
            reached = check.apply(action, to: reached)
        }
    }
    if !states.isEmpty, !actions.isEmpty, check.acceptedCount == 0 {
        place.report("`prepare` accepts none of the actions in any of the states, so undo is not checked: add states or actions.")
    }
}

private struct LawCheck<App: Feature> where App.Command: CanonicalCodable {
    let place: IssuePlace
    let kept: [String]
    private(set) var acceptedCount = 0
    private var broken: Set<String> = []
    // Bytes are changed in the same way in every run.
    private var random: UInt64 = 1

    init(place: IssuePlace, kept: [String]) { (self.place, self.kept) = (place, kept) }

    private mutating func report(_ sentence: String, _ details: @autoclosure () -> String) {
        if broken.insert(sentence).inserted { place.report(sentence + "\n\n" + details()) }
    }

    // MARK: Coding

    func isReadable(_ action: App.Action) -> Bool { (try? App.Action(canonical: action.canonicalBytes)) != nil }

    /// Whether clients can read a value: its numbers and ids are in their range.
    func isNamed(_ value: some FieldMessage) -> Bool { (try? type(of: value).init(value.value)) != nil }

    /// - Parameter isNamed: whether it must be readable by name.
    mutating func coding<Coded: FieldMessage>(of value: Coded, isNamed: Bool) {
        read(value)
        do throws(ValueMismatch) {
            let read = try Coded(value.value)
            if read != value {
                report("A value by name is read as a different value.", Difference.text(expected: value, actual: read))
            }
        } catch {
            if isNamed {
                report("A value can't be read by name.", "\(error.path): \(error.message)\n\n" + Difference.list([value]))
            }
        }
        var bytes = value.canonicalBytes
        for _ in 0..<10 where !bytes.isEmpty {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let (index, byte) = (Int(random >> 40) % bytes.count, UInt8(truncatingIfNeeded: random >> 32))
            switch (random >> 24) % 4 {
            case 0: bytes.remove(at: index)
            case 1: bytes.insert(byte, at: index)
            default: bytes[index] = byte
            }
            changed(bytes, as: App.State.self)
            changed(bytes, as: App.Action.self)
            changed(bytes, as: App.Command.self)
        }
    }

    private mutating func read<Coded: CanonicalCodable & Equatable>(_ value: Coded) {
        if let fault = value.readBackFault { report("A value is not read back as it was written.", fault) }
    }

    private mutating func changed<Coded: CanonicalCodable>(_ bytes: [UInt8], as type: Coded.Type) {
        guard let value = try? Coded(canonical: bytes), value.canonicalBytes != bytes else { return }
        report("Two encodings are read as the same value.", Difference.list([value]))
    }

    // MARK: Changes

    mutating func changes(between old: App.State, and new: App.State) {
        for (old, new) in [(old, new), (new, old)] {
            if App.changedScopes(from: old, to: new).isEmpty != (old == new) {
                report(
                    "`changedScopes` is empty for states that differ, or not for equal ones.",
                    Difference.text(expected: old, actual: new))
            }
            guard let changes = App.changes(from: old, to: new, limit: .max), changes.isEmpty == (old == new) else {
                report(
                    "There are no changes between different states, or there are changes between equal states.",
                    Difference.text(expected: old, actual: new))
                continue
            }
            var screen = Screen(old, of: App.self)
            let fits = changes.allSatisfy { screen.apply($0) }
            if !fits || screen != Screen(new, of: App.self) {
                report("The changes between two states do not lead from one to the other.", Difference.list(changes))
            }
            let isLimited = changes.isEmpty || App.changes(from: old, to: new, limit: changes.count - 1) == nil
            if !isLimited || App.changes(from: old, to: new, limit: changes.count) != changes {
                report("The limit of `changes` is not the number of changes that it returns.", Difference.list(changes))
            }
        }
    }

    // MARK: Deciding, applying and undoing

    /// The state after the accepted action; the same state if it is refused.
    @discardableResult
    mutating func apply(_ action: App.Action, to state: App.State) -> App.State {
        let decision = decide(action, in: state)
        guard isReadable(action) else { return state }
        changes(between: state, and: fold([action], in: state, areLogged: false).state)
        guard let logged = decision, !logged.isEmpty, App.kind(of: action) != .event else { return state }
        acceptedCount += 1
        let (after, commands) = fold(logged, in: state)
        let isNamed = isNamed(action) && isNamed(state)
        for action in logged { coding(of: action, isNamed: isNamed) }
        coding(of: after, isNamed: isNamed)
        undo(from: after, to: state, hasCommands: !commands.isEmpty, Difference.list(logged))
        return after
    }

    private func copy<Coded: CanonicalCodable>(_ value: Coded) -> Coded { (try? Coded(canonical: value.canonicalBytes)) ?? value }

    /// Computes a value while the last freed memory is occupied, so that hash tables get other addresses and another order.
    private func elsewhere<Value>(_ compute: () -> Value) -> Value {
        var occupied: [[UInt8]] = []
        for bytes in Array(stride(from: 0, to: 1_024, by: 16)) + (0..<32).map({ 1_024 + 1_024 * $0 * $0 / 16 }) {
            var memory: [UInt8] = []
            memory.reserveCapacity(bytes)
            occupied.append(memory)
        }
        return withExtendedLifetime(occupied, compute)
    }

    private mutating func decide(_ action: App.Action, in state: App.State) -> [App.Action]? {
        let decide = { (state: App.State) in Result { () throws(Refusal) in try App.prepare(action, state, .test) } }
        let first = decide(state)
        let second = elsewhere { decide(copy(state)) }
        if first != second {
            report("`prepare` decides differently about equal states.", Difference.text(expected: first, actual: second))
        }
        return try? first.get()
    }

    private mutating func fold(
        _ actions: [App.Action], in state: App.State, areLogged: Bool = true
    ) -> (state: App.State, commands: [App.Command]) {
        var (state, other, requested) = (state, copy(state), [App.Command]())
        for action in actions {
            let commands = App.reduce(&state, action, .test)
            requested += commands
            let again = elsewhere { App.reduce(&other, action, .test) }
            if commands != again || state.canonicalBytes != other.canonicalBytes {
                report("`reduce` gives different results for equal states.", Difference.list([action]))
            }
            // Logs contain only what `prepare` returns.
            if areLogged { for command in commands { read(command) } }
        }
        read(state)
        return (state, requested)
    }

    private mutating func undo(from after: App.State, to before: App.State, hasCommands: Bool, _ details: String) {
        guard let undone = revert(after, to: before, details) else { return }
        let wanted = App.reverted(after, from: after, to: before).state
        // A command under way stays in the state.
        if !hasCommands { expect(undone, wanted, else: "Undoing a change does not restore the state before it.", details) }
        guard let redone = revert(undone, to: after, details) else { return }
        expect(redone, after, else: "Undoing an undo does not restore the state.", details)
    }

    private mutating func expect(_ found: App.State, _ wanted: App.State, else sentence: String, _ details: String) {
        var (found, wanted) = (found, wanted)
        App.reserveIDs(of: wanted, in: &found)
        App.reserveIDs(of: found, in: &wanted)
        let changes = (App.changes(from: wanted, to: found, limit: .max) ?? []).filter { change in
            !change.places.allSatisfy { place in kept.contains { Exhaustivity.covers($0, place) } }
        }
        if !changes.isEmpty { report(sentence, details + "\n\n" + Difference.list(changes)) }
    }

    /// The state after undoing the change that led to it; `nil` after a reported failure.
    private mutating func revert(_ present: App.State, to before: App.State, _ details: String) -> App.State? {
        let reverted = App.reverted(present, from: present, to: before)
        guard reverted.conflicts.isEmpty else {
            report("Undoing the last change is a conflict.", details + "\n\n" + Difference.list(reverted.conflicts))
            return nil
        }
        if App.changedScopes(from: present, to: reverted.state).isEmpty { return present }
        do throws(Refusal) {
            let actions = try App.compensatingActions(from: present, to: reverted.state)
            for action in actions { read(action) }
            return fold(actions, in: present).state
        } catch {
            report("Undoing the last change is refused: \(error.message).", details)
            return nil
        }
    }
}
