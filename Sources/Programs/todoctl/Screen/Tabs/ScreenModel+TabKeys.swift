import Chronicle
import Terminal
import TodoAPI
import Varlink

extension ScreenModel {
    func keys(of tab: FeatureTab) -> [KeyHelp] {
        let moving = KeyHelp("↑ ↓, j k", "move")
        switch tab.kind {
        case .todos: return Self.listKeys
        case .commands:
            return [
                moving, KeyHelp("R", "retry now", short: "retry"), KeyHelp("S", "skip", short: "skip"),
                KeyHelp("C", "cancel", short: "cancel"),
            ]
        case .feature: break
        }
        switch tab.name {
        case "counter":
            return [
                KeyHelp("+", "one more", short: "more"), KeyHelp("-", "one less", short: "less"),
                KeyHelp("0", "back to 0", short: "zero"),
            ]
        case "alerts":
            return [
                moving, KeyHelp("x, Delete", "dismiss it", short: "dismiss"), KeyHelp("X", "dismiss all", short: "dismiss all"),
                KeyHelp("Enter", "dismiss it (asks first)"),
            ]
        case "posts":
            return [
                moving, KeyHelp("Enter, a", "make a todo of it", short: "as todo"),
                KeyHelp("F", "fetch the first page", short: "fetch"),
                KeyHelp("+", "fetch the next page", short: "more"),
            ]
        case "stars": return [moving, KeyHelp("Enter, x", "press the star", short: "press")]
        case "repositories":
            return [
                moving, KeyHelp("Enter", "its address", short: "open"), KeyHelp("F", "fetch the list", short: "fetch"),
                KeyHelp("L", "choose another language", short: "language"),
            ]
        case "flows":
            return [
                moving, KeyHelp("Enter", "answer with it", short: "answer"), KeyHelp("C", "cancel the question", short: "cancel"),
            ]
        case "views":
            return [
                moving, KeyHelp("Enter", "list its todos", short: "list"), KeyHelp("X, Delete", "remove it", short: "remove"),
            ]
        default: return [moving, KeyHelp("Enter", "run the action, or the first one for the element (asks first)", short: "do")]
        }
    }

    func featureRows(_ tab: FeatureTab) -> [FeatureRow] {
        if let failure = tab.failure { return [FeatureRow("", [StyledText("  " + Visible.text(failure), .failure)])] }
        if let commands = tab.commands { return OwnFeatures.commands(commands, todos, zone: context.zone, now: now) }
        guard let view = shownView(tab) else { return [FeatureRow("", [StyledText("  …", .dim)])] }
        return OwnFeatures.rows(of: tab.name, view, zone: context.zone)
            ?? FeatureRow.rows(of: view, in: tab.name, actions: tab.actions ?? [])
    }

    mutating func moveRow(_ lines: Int) {
        guard tabs.indices.contains(tab) else { return }
        let rows = featureRows(tabs[tab])
        var place = min(max(tabs[tab].selected + lines, 0), max(rows.count - 1, 0))
        let step = lines < 0 ? -1 : 1
        while rows.indices.contains(place), !rows[place].isSelectable { place += step }
        if !rows.indices.contains(place) {
            place = step > 0 ? rows.lastIndex(where: \.isSelectable) ?? 0 : rows.firstIndex(where: \.isSelectable) ?? 0
        }
        tabs[tab].selected = place
        let height = max(ScreenRegions(size).list.height, 1)
        // Scrolls to the top with the first selectable row.
        let top = rows.firstIndex(where: \.isSelectable) == place ? 0 : place
        let offset = max(min(tabs[tab].offset, top), place - height + 1)
        tabs[tab].offset = max(0, min(offset, rows.count - height))
    }

    mutating func pressTab(_ key: ScreenKey) -> [ScreenRequest] {
        guard let tab = shownTab else { return [] }
        let page = max(ScreenRegions(size).list.height - 1, 1)
        switch key {
        case .up, .character("k"): moveRow(-1)
        case .down, .character("j"): moveRow(1)
        case .pageUp: moveRow(-page)
        case .pageDown: moveRow(page)
        case .home: moveRow(-tab.selected)
        case .end, .character("G"): moveRow(100_000)
        default:
            let rows = featureRows(tab)
            let subject = rows.indices.contains(tab.selected) ? rows[tab.selected].subject : .none
            guard let effect = effect(tab, key, subject) else { return [] }
            if let refusal {
                message = ScreenMessage(text: refusal, kind: .note)
                return []
            }
            return effect.requests(&self)
        }
        return []
    }

    private func effect(_ tab: FeatureTab, _ key: ScreenKey, _ subject: FeatureRow.Subject) -> TabEffect? {
        if case .command(let id) = subject { return TabEffect.command(key, id, tab) }
        guard tab.kind == .feature else { return nil }
        return isOneFeature
            ? TabEffect.generic(tab, key, subject) : TabEffect.own(tab.name, key, subject) ?? TabEffect.generic(tab, key, subject)
    }

    mutating func continueAction(_ pending: PendingAction, typed prompt: Prompt) -> [ScreenRequest] {
        guard pending.asked.isEmpty else {
            self.prompt = Prompt(.action(pending))
            return []
        }
        let action = Value.record([.init(pending.name, .record(pending.known))])
        let named = isOneFeature ? action : .record([.init(pending.feature, action)])
        return dispatch([named], .text("Done: \(pending.name)."), typed: .line(prompt))
    }
}

extension PendingAction {
    var question: String { asked.first?.name ?? (known.isEmpty ? "" : FeatureRow.text(known[0].value) + "? ") + "y to confirm" }

    /// The action with this text as its next field; if no field is left, the text must confirm the action.
    func taking(_ text: String) throws(Failure) -> PendingAction {
        guard let field = asked.first else {
            guard ["y", "yes"].contains(text.trimmed.lowercased()) else {
                throw Failure(.usage, "Type y to confirm, or press Esc to cancel.")
            }
            return self
        }
        var next = self
        next.asked.removeFirst()
        if text.isEmpty, field.isOptional { return next }
        if field.isNumber {
            guard let number = Int64(text.trimmed) else { throw Failure(.usage, "\(field.name) is a whole number.") }
            next.known.append(.init(field.name, .int(number)))
        } else {
            next.known.append(.init(field.name, .text(text)))
        }
        return next
    }
}

private enum TabEffect {
    case dispatch(Value, String)
    case callCommand(ScreenCall, String)
    case ask(PendingAction)
    case answer(Int64)
    case list(String)
    case say(String)

    func requests(_ model: inout ScreenModel) -> [ScreenRequest] {
        switch self {
        case .dispatch(let action, let sentence): return model.dispatch([action], sentence.isEmpty ? .none : .text(sentence))
        case .callCommand(let call, let sentence):
            model.commandMessage = sentence
            return [.call(RequestTag(.tabs, ScreenModel.commandChange), call)]
        case .ask(let pending): model.prompt = Prompt(.action(pending))
        case .answer(let flow): model.prompt = Prompt(.answer(flow))
        case .list(let view):
            guard let index = model.tabs.firstIndex(where: \.isTodos) else { return [] }
            return model.show(tab: index) + model.setFilter(to: "@" + view)
        case .say(let text): model.message = ScreenMessage(text: text, kind: .note)
        }
        return []
    }

    static func command(_ key: ScreenKey, _ id: CommandID, _ tab: FeatureTab) -> TabEffect? {
        func change(_ operation: ChangeCommandMethod.Input.Operation, _ sentence: String) -> TabEffect {
            .callCommand(ScreenCall(ChangeCommandMethod.self, .init(id: id, operation: operation), over: .quick), sentence)
        }
        let name = Visible.text(tab.commands?.first { $0.id == id }?.name ?? "the command")
        return switch key {
        case .character("R"): change(.retry, "Trying \(name) again.")
        case .character("S"): change(.skip, "Skipped \(name).")
        case .character("C"): change(.cancel, "Cancelled \(name).")
        default: nil
        }
    }

    static func own(_ feature: String, _ key: ScreenKey, _ subject: FeatureRow.Subject) -> TabEffect? {
        let element: Value? = if case .element(let element) = subject { element } else { nil }
        func make(_ name: String, _ payload: Value = [:], _ sentence: String = "") -> TabEffect {
            .dispatch(FeatureAction.make(feature, name, payload), sentence)
        }
        func ofElement(_ name: String, _ sentence: String = "") -> TabEffect? {
            element?["id"].map { make(name, ["id": $0], sentence) }
        }
        switch (feature, key) {
        case ("counter", .character("+")): return make("increment")
        case ("counter", .character("-")): return make("decrement")
        case ("counter", .character("0")): return make("reset")
        case ("alerts", .character("x")), ("alerts", .delete): return ofElement("dismiss", "Dismissed.")
        case ("alerts", .character("X")): return make("dismissAll", [:], "Dismissed all.")
        case ("posts", .enter), ("posts", .character("a")):
            let title = element?["title"]?.text ?? ""
            return ofElement("add", "Added: " + Visible.text(title))
        case ("posts", .character("F")): return make("fetch")
        case ("posts", .character("+")): return make("more")
        case ("stars", .enter), ("stars", .character("x")): return ofElement("press")
        case ("repositories", .enter): return ofElement("open")
        case ("repositories", .character("F")): return make("reload")
        case ("repositories", .character("L")):
            return .dispatch(
                FeatureAction.make("flows", "start", ["kind": "language"]), "Which language? The tab questions asks.")
        case ("flows", .enter):
            if case .option(let flow, let text) = subject {
                return make("answer", ["id": .int(flow), "text": .text(text)], "Answered: " + Visible.text(text))
            }
            if case .question(let flow) = subject { return .answer(flow) }
            return nil
        case ("flows", .character("C")):
            switch subject {
            case .option(let flow, _), .question(let flow):
                return make("cancel", ["id": .int(flow)], "The question was cancelled.")
            default: return nil
            }
        case ("views", .enter): return element?["name"]?.text.map { .list($0) }
        case ("views", .character("X")), ("views", .delete): return ofElement("remove", "Removed the view.")
        default: return nil
        }
    }

    /// The generic keys: Enter runs the action of a row, or the first action that takes the element's id.
    static func generic(_ tab: FeatureTab, _ key: ScreenKey, _ subject: FeatureRow.Subject) -> TabEffect? {
        guard key == .enter else { return nil }
        switch subject {
        case .action(let action):
            return .ask(PendingAction(feature: tab.name, name: action.name, known: [], asked: action.fields))
        case .element(let element):
            let fitting = (tab.actions ?? []).filter { $0.fields.first?.name == "id" && !($0.fields[0].isOptional) }
            guard let id = element["id"], let action = fitting.first else { return .say("Nothing can be done to it from here.") }
            let asked = Array(action.fields.dropFirst())
            return .ask(PendingAction(feature: tab.name, name: action.name, known: [.init("id", id)], asked: asked))
        default: return nil
        }
    }
}
