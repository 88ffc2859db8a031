import Chronicle
import TodoAPI
import Varlink

// The tabs: one for each feature, and one for the open commands.
extension ScreenModel {
    /// Call numbers of the part `tabs`: these, then the views, then the descriptions.
    static let featuresCall = 0
    static let commandsCall = 1
    static let commandChange = 2
    static let timesCall = 3
    static let firstView = 100
    static let firstDescription = 10_000
    /// Features that the heading or the filter need on every tab.
    private static let followed: Set<String> = ["alerts", "flows", "views"]

    /// Whether the app is a single feature; it has no view, so its state is shown, and its actions have no prefix.
    var isOneFeature: Bool { tabs.count { $0.kind != .commands } == 1 }

    mutating func askFeatures() -> [ScreenRequest] {
        [
            .call(RequestTag(.tabs, Self.featuresCall), ScreenCall("org.varlink.service.GetInfo", over: .quick)),
            .call(RequestTag(.tabs, Self.timesCall), ScreenCall(StatusMethod.self, NoFields(), over: .quick)),
        ]
    }

    mutating func show(tab index: Int) -> [ScreenRequest] {
        guard tabs.indices.contains(index) else { return [] }
        let left = index == tab ? [] : leaveCommands()
        tab = index
        return left + follow(index) + describe(index)
    }

    /// Unsubscribes from the commands when their tab is left, which frees their connection.
    private mutating func leaveCommands() -> [ScreenRequest] {
        guard let shownTab, shownTab.kind == .commands, shownTab.isFollowed else { return [] }
        tabs[tab].isFollowed = false
        // The list is outdated without a subscription.
        (tabs[tab].commands, tabs[tab].commandsComing) = (nil, [])
        return [.forget(RequestTag(.tabs, Self.commandsCall))]
    }

    private mutating func follow(_ index: Int, again: Bool = false) -> [ScreenRequest] {
        guard tabs[index].kind != .todos, presence == .connected, again || !tabs[index].isFollowed else { return [] }
        tabs[index].isFollowed = true
        if tabs[index].kind == .commands {
            tabs[index].commandsComing = []
            let call = ScreenCall(FollowCommandsMethod.self, NoFields(), over: .own, more: true)
            return [.call(RequestTag(.tabs, Self.commandsCall), call)]
        }
        tabs[index].pages = nil
        let input = isOneFeature ? SubscribeMethod.Input() : SubscribeMethod.Input(kind: "view", feature: tabs[index].name)
        return [.call(RequestTag(.tabs, Self.firstView + index), ScreenCall(SubscribeMethod.self, input, over: .own, more: true))]
    }

    private mutating func describe(_ index: Int) -> [ScreenRequest] {
        guard tabs[index].kind == .feature, presence == .connected, tabs[index].actions == nil else { return [] }
        let interface = APIError.featurePrefix + tabs[index].name.prefix(1).uppercased() + tabs[index].name.dropFirst()
        let call = ScreenCall("org.varlink.service.GetInterfaceDescription", ["interface": .text(interface)], over: .quick)
        return [.call(RequestTag(.tabs, Self.firstDescription + index), call)]
    }

    mutating func takeTabs(_ number: Int, _ reply: ScreenReply) -> [ScreenRequest] {
        switch number {
        case Self.featuresCall: return takeFeatures(reply)
        case Self.commandsCall: return takeCommands(reply)
        case Self.commandChange: takeCommandChange(reply)
        case Self.timesCall: if let status = try? reply.output(StatusMethod.self) { Times.know(status.times) }
        case Self.firstView..<Self.firstDescription: return takeView(number - Self.firstView, reply)
        default: takeDescription(number - Self.firstDescription, reply)
        }
        return []
    }

    private mutating func takeFeatures(_ reply: ScreenReply) -> [ScreenRequest] {
        let members: [Value.Field]
        do throws(Failure) { members = try reply.result.get() } catch {
            message = ScreenMessage(text: Self.sentence(error), kind: .failure)
            return []
        }
        program = members["product"]?.text.map(Visible.text) ?? program
        var names = InterfaceNames.interfaces(info: members).filter { $0.hasPrefix(APIError.featurePrefix) }.map { name in
            let name = name.dropFirst(APIError.featurePrefix.count)
            return name.prefix(1).lowercased() + name.dropFirst()
        }
        if let place = names.firstIndex(of: "todos") { names.insert(names.remove(at: place), at: 0) }
        let shown = shownTab?.name
        let known = tabs.filter { $0.kind != .commands }.map(\.name)
        if known != names {
            tabs = names.map { FeatureTab($0, $0 == "todos" ? .todos : .feature) } + [FeatureTab("commands", .commands)]
            tab = tabs.firstIndex { $0.name == shown } ?? 0
        }
        var requests = names.contains("todos") ? followTodos() : []
        for index in tabs.indices where index == tab || Self.followed.contains(tabs[index].name) || tabs[index].isFollowed {
            requests += follow(index, again: true)
        }
        return requests + (tabs.isEmpty ? [] : describe(tab))
    }

    private mutating func takeView(_ index: Int, _ reply: ScreenReply) -> [ScreenRequest] {
        guard tabs.indices.contains(index) else { return [] }
        do throws(Failure) {
            let output = try reply.output(SubscribeMethod.self)
            updateHead(Head(epoch: output.epoch, sequence: output.sequence, time: output.time))
            if let page = output.view ?? output.state {
                if tabs[index].pages == nil { tabs[index].pages = page } else { tabs[index].pages?.append(page: page) }
                if output.complete {
                    (tabs[index].view, tabs[index].pages, tabs[index].failure) = (tabs[index].pages, nil, nil)
                }
            } else if let changes = output.changes {
                let flash = now + Self.flashMicroseconds
                for change in changes {
                    tabs[index].view?.apply(change)
                    if let row = change.new, change.kind != .set { tabs[index].flashes[FeatureRow.name(of: row)] = flash }
                    if change.kind == .set, let field = change.new?.record?.first { tabs[index].flashes[field.name] = flash }
                }
            }
        } catch {
            if error.isTemporary { return lost(error) }
            tabs[index].failure = Self.sentence(error)
        }
        if tabs[index].name == "views" {
            let rows = tabs[index].view?["rows"]?.list ?? []
            let named = rows.compactMap { row in
                row["name"]?.text.flatMap { name in row["filter"]?.text.map { (name, $0) } }
            }
            views = Dictionary(named) { first, _ in first }
        }
        if index == tab { moveRow(0) }
        return []
    }

    private mutating func takeDescription(_ index: Int, _ reply: ScreenReply) {
        guard tabs.indices.contains(index) else { return }
        tabs[index].actions = []
        guard case .success(let members) = reply.result, let text = members["description"]?.text,
            let interface = try? InterfaceDescription(parsing: text)
        else { return }
        tabs[index].actions = ViewAction.all(in: interface)
    }

    private mutating func takeCommands(_ reply: ScreenReply) -> [ScreenRequest] {
        // A late reply after the tab was left.
        guard let index = tabs.firstIndex(where: { $0.kind == .commands }), tabs[index].isFollowed else { return [] }
        do throws(Failure) {
            let output = try reply.output(FollowCommandsMethod.self)
            tabs[index].commandsComing += output.commands
            guard output.complete else { return [] }
            (tabs[index].commands, tabs[index].commandsComing, tabs[index].failure) = (tabs[index].commandsComing, [], nil)
            if index == tab { moveRow(0) }
        } catch {
            if error.isTemporary { return lost(error) }
            tabs[index].failure = Self.sentence(error)
        }
        return []
    }

    private mutating func takeCommandChange(_ reply: ScreenReply) {
        do throws(Failure) {
            _ = try reply.result.get()
            message = ScreenMessage(text: commandMessage, kind: .note)
        } catch { message = ScreenMessage(text: Self.sentence(error), kind: .failure) }
    }

    func shownView(_ tab: FeatureTab) -> Value? { time.isLive ? tab.view : time.view(of: tab.name) }

    var waiting: (alerts: Int, questions: Int) {
        func rows(_ name: String) -> [Value] {
            tabs.first { $0.name == name }.flatMap { shownView($0) }?["rows"]?.list ?? []
        }
        return (rows("alerts").count, rows("flows").count { $0["waits"]?.bool != true })
    }
}

extension Value {
    /// Applies a change to a view at its path; ignores changes that don't fit.
    mutating func apply(_ change: Change) { apply(change, change.path.split(separator: ".").map(String.init)[...]) }

    private mutating func apply(_ change: Change, _ path: ArraySlice<String>) {
        if let name = path.first {
            guard case .record(var fields) = self, let index = fields.firstIndex(where: { $0.name.hasSameBytes(as: name) }) else {
                return
            }
            self = .null
            fields[index].value.apply(change, path.dropFirst())
            self = .record(fields)
            return
        }
        switch (change.kind, self) {
        case (.set, .record(var fields)):
            guard let name = (change.new ?? change.old)?.record?.first?.name else { return }
            let index = fields.firstIndex { $0.name.hasSameBytes(as: name) } ?? fields.count
            fields.replaceSubrange(index..<min(index + 1, fields.count), with: change.new?.record ?? [])
            self = .record(fields)
        case (let kind, .list(var elements)):
            var element: Value?
            if kind != .insert {
                guard let index = change.from ?? change.at, elements.indices.contains(index) else { return }
                element = elements.remove(at: index)
            }
            if kind != .remove, let new = change.new ?? element {
                elements.insert(new, at: min(max(change.at ?? elements.count, 0), elements.count))
            }
            self = .list(elements)
        default: return
        }
    }
}

extension ViewAction {
    static func all(in interface: InterfaceDescription) -> [ViewAction] {
        guard case .structure(let cases)? = interface.types.first(where: { $0.name == "Action" })?.type else { return [] }
        return cases.compactMap { field in
            var fields: [Field] = []
            if case .structure(let members) = field.type.present {
                for member in members {
                    switch member.type.present {
                    case .int, .string:
                        let isNumber = member.type.present == .int
                        fields.append(Field(name: member.name, isNumber: isNumber, isOptional: member.isOptional))
                    // Actions with required structured fields can't be typed here.
                    default: if !member.isOptional { return nil }
                    }
                }
            }
            let documentation = field.documentation.joined(separator: " ")
            return ViewAction(name: field.name, documentation: documentation, fields: fields)
        }
    }
}

extension InterfaceType {
    fileprivate var present: InterfaceType { if case .optional(let type) = self { type.present } else { self } }
}
