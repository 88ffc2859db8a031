import Chronicle
import Terminal
import TodoAPI
import Varlink

extension ScreenModel {
    static let flashMicroseconds: Int64 = 1_500_000
    /// First and maximum delay before reconnecting, in microseconds.
    static let pauses: ClosedRange<Int64> = 50_000...2_000_000

    mutating func start() -> [ScreenRequest] { [.connect(after: 0)] }

    mutating func update(_ event: ScreenEvent) -> [ScreenRequest] { update(all: [event]) }

    mutating func update(all events: [ScreenEvent]) -> [ScreenRequest] {
        var requests: [ScreenRequest] = []
        for event in events {
            if case .key = event { updateRows() }
            requests += take(event)
        }
        updateRows()
        restoreRefused()
        return requests + askTime()
    }

    private mutating func take(_ event: ScreenEvent) -> [ScreenRequest] {
        switch event {
        case .key(let key): return press(key)
        case .clock(let time):
            set(clock: time)
            return expireFlashes() + updateTime(event)
        case .size(let size):
            self.size = size
            return updateTime(event)
        case .reply(let tag, let reply):
            switch tag.part {
            case .list: return takeList(tag.number, reply)
            case .tabs: return takeTabs(tag.number, reply)
            case .time: return updateTime(event)
            }
        case .connected:
            (presence, silence) = (.connected, nil)
            message = nil
            let again = outgoing.sorted { $0.key < $1.key }.map { number, outgoing in
                ScreenRequest.call(RequestTag(.list, number), outgoing.call)
            }
            return askFeatures() + again + updateTime(event)
        case .away(let failure): return lost(failure) + updateTime(event)
        case .silent(let failure):
            silence = Self.sentence(failure)
            return []
        case .heard:
            silence = nil
            return []
        case .edited(let tag, let text):
            guard tag.part == .list else { return updateTime(event) }
            return edited(tag.number, text)
        case .failed(let failure):
            message = ScreenMessage(text: Self.sentence(failure), kind: .failure)
            return []
        case .resumed: return [.redraw]
        }
    }

    /// Sets the wall clock; if it went back, pending times move with it.
    private mutating func set(clock time: Int64) {
        let back = now - time
        now = time
        guard back > 0 else { return }
        list.flashes = list.flashes.mapValues { $0 - back }
        for index in tabs.indices { tabs[index].flashes = tabs[index].flashes.mapValues { $0 - back } }
        if let due = question?.due, due != .max { question?.due = due - back }
        self.time.flashes = self.time.flashes.mapValues { $0 - back }
        self.time.quietUntil -= back
        self.time.retryAt = self.time.retryAt.map { $0 - back }
        if let due = self.time.play?.due { self.time.play?.due = due - back }
    }

    static let anotherLog = "The daemon keeps another log than before"

    /// Takes the end of the log from a reply.
    ///
    /// A new epoch means another log, so everything shown is discarded.
    mutating func updateHead(_ newHead: Head) {
        isLogKnown = true
        if let head, head.epoch != newHead.epoch {
            (todos, incoming, areTodosComplete, todosAt) = (TodoList(), nil, false, nil)
            todos.touchAll()
            let filter = list.filter
            list = ListState()
            list.filter = filter
            for index in tabs.indices {
                (tabs[index].view, tabs[index].pages, tabs[index].commands, tabs[index].flashes) = (nil, nil, nil, [:])
            }
            (form, views) = (nil, [:])
            refused.removeAll { !$0.isOfAnyLog }
            switch prompt?.purpose {
            case .field?, .answer?, .action?: prompt = nil
            default: break
            }
            forgetTime()
            askFilterAgain()
            message = ScreenMessage(text: Self.anotherLog + ".", kind: .note)
            self.head = newHead
        } else if head.map({ $0.sequence < newHead.sequence }) ?? true {
            head = newHead
        }
    }

    mutating func lost(_ failure: Failure) -> [ScreenRequest] {
        let pause: Int64 =
            if case .away(_, let pause) = presence { min(pause * 2, Self.pauses.upperBound) } else { Self.pauses.lowerBound }
        (presence, silence) = (.away(Self.sentence(failure), pause: pause), nil)
        isLogKnown = false
        incoming = nil
        question?.tag = nil
        for index in tabs.indices { tabs[index].pages = nil }
        return [.connect(after: pause)]
    }

    static func sentence(_ failure: Failure) -> String {
        failure.message.split(separator: "\n").first.map(String.init) ?? failure.message
    }

    /// The next time at which the screen changes by itself, in microseconds since 1970; `nil` for none.
    var wake: Int64? {
        let minute = (now / 60_000_000 + 1) * 60_000_000
        var times = [minute, timeWake].compactMap { $0 }
        if presence == .connected, let question, question.tag == nil { times.append(question.due) }
        times += list.flashes.values
        if let tab = shownTab { times += tab.flashes.values }
        return times.min()
    }

    private mutating func expireFlashes() -> [ScreenRequest] {
        list.flashes = list.flashes.filter { $0.value > now }
        for index in tabs.indices where !tabs[index].flashes.isEmpty {
            tabs[index].flashes = tabs[index].flashes.filter { $0.value > now }
        }
        return askFilter()
    }
}

extension ScreenModel {
    /// Dispatches actions as one step; while the daemon is unreachable they wait.
    mutating func dispatch(
        _ actions: [Value], _ sentence: OutgoingSentence, note: EditedNote? = nil, typed: Typed? = nil
    ) -> [ScreenRequest] {
        guard !actions.isEmpty else { return [] }
        let (number, key) = (nextCall() + Self.firstDispatch, nextKey())
        let outgoing = Outgoing(actions: actions, key: key, epoch: head?.epoch, note: note, typed: typed, sentence: sentence)
        self.outgoing[number] = outgoing
        guard presence == .connected else {
            message = ScreenMessage(text: "The daemon is away; this is done when it is back.", kind: .note)
            return []
        }
        return [.call(RequestTag(.list, number), outgoing.call)]
    }

    mutating func takeDispatched(_ number: Int, _ reply: ScreenReply) -> [ScreenRequest] {
        guard let outgoing = outgoing.removeValue(forKey: number) else { return [] }
        do throws(Failure) {
            let output = try reply.output(DispatchMethod.self)
            if case .added = outgoing.sentence { list.wanted = output.ids.first.map { Int64(clamping: $0) } }
            var sentence = outgoing.sentence.text(output)
            for presentation in output.presentations {
                let shown = presentation["arguments"]?["url"]?.text ?? presentation.description
                sentence += (sentence.isEmpty ? "" : " ") + Visible.text(shown)
            }
            if output.commandsHeld == true { sentence += " It is held until the commands are released." }
            if !sentence.isEmpty {
                let isKept = output.sequences.isEmpty
                message = ScreenMessage(text: sentence, kind: isKept ? .note : .done)
            }
        } catch {
            if let note = outgoing.note {
                if case .staleSequence = error.known {
                    // The list has changed; `writeNotes` checks whether the note has.
                    waitingNotes.append(note)
                    return writeNotes()
                }
                return keep(note, Self.sentence(error))
            }
            let isOther = if case .epochChanged = error.known { true } else { false }
            if let typed = outgoing.typed, !isOther || typed.isOfAnyLog { refused.append(typed) }
            let sentence = isOther ? Self.anotherLog + "; nothing was done." : Self.sentence(error)
            message = ScreenMessage(text: sentence, kind: .failure)
        }
        return []
    }
}

extension Outgoing {
    var call: ScreenCall {
        var input = DispatchMethod.Input(actions: actions, key: key)
        input.epoch = epoch
        if let note { (input.expectedSequence, input.scope) = (note.after, "todos.items") }
        return ScreenCall(DispatchMethod.self, input, over: .quick)
    }
}

extension OutgoingSentence {
    func text(_ output: DispatchMethod.Output) -> String {
        switch self {
        case .text(let text): text
        case .added(let details):
            output.ids.first.map { "Added \($0): \(details)" } ?? "Added: \(details)"
        case .none: ""
        }
    }
}
