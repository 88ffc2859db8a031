import Chronicle
import Dates
import Terminal
import TodoAPI
import Varlink

enum TimeCall {
    static let state = 1
    static let record = 2
    static let why = 3
    static let activity = 4
    static let bookmarks = 5
    static let seek = 6
    static let whatIf = 7
    static let proposal = 8
    static let makeProposal = 9
    static let summary = 10
    static let blame = 11
    static let follow = 12
    static let tail = 13
    static let difference = 14
    static let setBookmark = 15
    static let alerts = 16
    static let invariants = 17
    /// All records of a short log, for their steps.
    static let steps = 18
    static let firstView = 100
    /// Each round of calls for a moment has its own number range.
    static let roundNumbers = 100_000
}

extension ScreenModel {
    /// Minimum interval between updates of the strip, in microseconds.
    private static let quiet: Int64 = 250_000

    var timeWake: Int64? {
        var times = Array(time.flashes.values)
        guard presence == .connected else { return times.min() }
        if let play = time.play, time.canAsk, time.isWantedAsked { times.append(play.due) }
        if let retryAt = time.retryAt { times.append(retryAt) } else if !stripNeeds.isEmpty { times.append(time.quietUntil) }
        return times.min()
    }

    mutating func updateTime(_ event: ScreenEvent) -> [ScreenRequest] {
        switch event {
        case .clock:
            if let retryAt = time.retryAt, retryAt <= now { time.retryAt = nil }
            time.flashes = time.flashes.filter { $0.value > now }
            playOn()
        case .connected: return beginTime()
        case .away: forgetTimeCalls()
        case .reply(let tag, let reply): return takeTime(tag.number, reply)
        default: break
        }
        return []
    }

    private mutating func forgetTimeCalls() {
        (time.rounds, time.asked, time.retryAt) = ([], [], nil)
        time.past.forget()
        time.play = nil
        stopMoving()
        if time.difference?.isKnown == false { time.difference = nil }
        if time.whatIf?.isKnown == false { time.whatIf = nil }
        if time.proposal?.key == nil { time.proposal = nil }
        if let blame = time.blame, !blame.isKnown { time.blame = blame.restarted }
    }

    /// Discards everything about another log; keeps the subscription to records, which continues.
    mutating func forgetTime() {
        var fresh = TimeState()
        fresh.roundsMade = time.roundsMade
        fresh.asked = time.asked.intersection([TimeCall.follow])
        time = fresh
    }

    /// Discards data that may contain redacted text, and requests it again.
    mutating func forgetRedacted() {
        (time.rounds, time.shown, time.views, time.record, time.why, time.tail) = ([], nil, [:], nil, nil, nil)
        if time.wanted != nil { beginPast() }
        (time.difference, time.whatIf, time.blame) = (nil, time.whatIf?.restarted, time.blame?.restarted)
        time.asked.subtract([TimeCall.tail, TimeCall.difference, TimeCall.whatIf, TimeCall.blame])
    }

    private mutating func beginTime() -> [ScreenRequest] {
        forgetTimeCalls()
        (time.hasActivity, time.areBookmarksStale) = (true, true)
        (time.marks.areAlertsStale, time.marks.areInvariantsStale) = (true, true)
        // Bookmarks and undone steps may have changed while disconnected.
        (time.window, time.tail, time.quietUntil) = (StepWindow(), nil, 0)
        return []
    }

    mutating func call(_ number: Int, _ call: ScreenCall) -> ScreenRequest {
        time.asked.insert(number)
        return .call(RequestTag(.time, number), call)
    }

    mutating func forget(_ number: Int) -> ScreenRequest {
        time.asked.remove(number)
        return .forget(RequestTag(.time, number))
    }

    mutating func askTime() -> [ScreenRequest] {
        guard presence == .connected, time.retryAt == nil else { return [] }
        var requests: [ScreenRequest] = []
        func ask(_ number: Int, _ call: @autoclosure () -> ScreenCall) {
            if !time.asked.contains(number) { requests.append(self.call(number, call())) }
        }
        ask(TimeCall.follow, ScreenCall(SubscribeMethod.self, .init(kind: "records"), over: .own, more: true))
        if let seek = time.seek { ask(TimeCall.seek, seek.call) }
        if let wanted = time.wanted, time.whatIf == nil { requests += askMoment(wanted) }
        requests += askStrip()
        if let whatIf = time.whatIf, !whatIf.isKnown { ask(TimeCall.whatIf, whatIf.call) }
        requests += askProposal()
        if let blame = time.blame, !blame.isKnown { ask(TimeCall.blame, blame.call) }
        if let pinned = time.pinned, time.shown == time.wanted,
            time.difference.map({ $0.pinned != pinned || $0.moment != handle }) ?? true,
            time.difference?.isKnown != false, pinned != handle
        {
            time.difference = PinnedDifference(pinned: pinned, moment: handle)
            let input = DiffMethod.Input(from: Point(sequence: pinned), to: Point(sequence: handle))
            requests.append(call(TimeCall.difference, ScreenCall(DiffMethod.self, input, over: .own, more: true)))
        }
        return requests
    }

    /// Repeats a change that was interrupted by a lost connection, once the epoch is known; refreshes an outdated preview.
    private mutating func askProposal() -> [ScreenRequest] {
        guard let proposal = time.backgroundChange ?? time.proposal else { return [] }
        // The idempotency key makes the repetition safe.
        if proposal.key != nil {
            return isLogKnown && !time.asked.contains(TimeCall.makeProposal) ? [call(TimeCall.makeProposal, proposal.call())] : []
        }
        let last = lastRecord
        guard proposal.at != last, !time.asked.contains(TimeCall.proposal) else { return [] }
        time.proposal?.age(to: last)
        return [call(TimeCall.proposal, proposal.call())]
    }

    /// Requests what a moment needs: first the visible parts together, then the details if the handle rests.
    private mutating func askMoment(_ wanted: UInt64) -> [ScreenRequest] {
        guard time.canAsk, time.rounds.last?.moment != wanted else { return [] }
        var calls = callsForMoment(wanted)
        if calls.isEmpty {
            arrive(at: wanted)
            // Details are not needed during playback and pending moves.
            guard time.play == nil, time.moves.isEmpty else { return [] }
            let point = Point(sequence: wanted)
            for index in tabs.indices where ["alerts", "flows"].contains(tabs[index].name) {
                if let view = viewCall(index, at: point, wanted) { calls.append((TimeCall.firstView + index, view)) }
            }
            if time.record?.record != nil, time.why?.sequence != wanted {
                calls.append((TimeCall.why, ScreenCall(WhyMethod.self, .init(sequence: wanted), over: .past)))
            }
        }
        guard !calls.isEmpty else { return [] }
        time.roundsMade += 1
        let base = time.roundsMade * TimeCall.roundNumbers
        time.rounds.append(TimeState.RequestRound(base: base, moment: wanted, awaited: Set(calls.map(\.0))))
        return calls.map { .call(RequestTag(.time, base + $0.0), $0.1) }
    }

    /// Marks a moment as shown once all its visible parts are loaded.
    mutating func arrive(at moment: UInt64) {
        guard time.shown != moment, time.record?.sequence == moment else { return }
        guard time.past.moment == moment || !tabs.contains(where: \.isTodos) else { return }
        time.shown = moment
        mark(what: time.record)
        askFilterAgain()
    }

    private mutating func callsForMoment(_ wanted: UInt64) -> [(Int, ScreenCall)] {
        var calls: [(Int, ScreenCall)] = []
        // The record comes first: its diff loads the state before it, which is one record away from the moment's.
        if time.record?.sequence != wanted {
            if wanted <= firstMoment {
                time.record = TimeState.KnownRecord(sequence: wanted, record: nil, changes: [])
            } else {
                calls.append((TimeCall.record, Self.recordCall(wanted, over: .past)))
            }
        }
        if tabs.contains(where: \.isTodos), let question = time.past.question(to: wanted) {
            switch question {
            case .whole(let moment):
                let input = GetStateMethod.Input(scope: "todos.items", at: Point(sequence: moment))
                calls.append((TimeCall.state, ScreenCall(GetStateMethod.self, input, over: .past, more: true)))
            case .changes(let from, let to):
                let input = DiffMethod.Input(from: Point(sequence: from), to: Point(sequence: to), path: "todos.items")
                calls.append((TimeCall.state, ScreenCall(DiffMethod.self, input, over: .past, more: true)))
            }
        }
        if let view = viewCall(tab, at: Point(sequence: wanted), wanted) { calls.append((TimeCall.firstView + tab, view)) }
        return calls
    }

    private static func recordCall(_ sequence: UInt64, over lane: ScreenCall.Lane) -> ScreenCall {
        let point = Point(sequence: sequence)
        return ScreenCall(LogMethod.self, .init(from: point, to: point, changes: true), over: lane, more: true)
    }

    private func viewCall(_ index: Int, at point: Point, _ wanted: UInt64) -> ScreenCall? {
        guard tabs.indices.contains(index), tabs[index].kind == .feature, time.views[tabs[index].name]?.sequence != wanted else {
            return nil
        }
        guard isOneFeature else { return ScreenCall(ViewMethod.self, .init(feature: tabs[index].name, at: point), over: .past) }
        return ScreenCall(GetStateMethod.self, .init(at: point), over: .past)
    }

    /// Requests the strip's data, at most once per quiet interval.
    private mutating func askStrip() -> [ScreenRequest] {
        guard time.quietUntil <= now else { return [] }
        let needs = stripNeeds
        if !needs.isEmpty { time.quietUntil = now + Self.quiet }
        return needs.map { number in
            switch number {
            case TimeCall.tail: return call(number, Self.recordCall(lastRecord, over: .questions))
            case TimeCall.activity: return call(number, Activity.call)
            case TimeCall.alerts:
                time.marks.areAlertsStale = false
                return call(number, StripMarks.alertsCall)
            case TimeCall.invariants:
                time.marks.areInvariantsStale = false
                return call(number, StripMarks.invariantsCall)
            case TimeCall.steps:
                let input = LogMethod.Input(from: Point(sequence: firstMoment + 1), to: Point(sequence: lastRecord))
                return call(number, ScreenCall(LogMethod.self, input, over: .questions, more: true))
            default:
                (time.bookmarks, time.areBookmarksStale) = ([], false)
                return call(number, ScreenCall(BookmarksMethod.self, NoFields(), over: .questions, more: true))
            }
        }
    }

    private var stripNeeds: [Int] {
        guard lastRecord > 0 else { return [] }
        var needs: [Int] = []
        if time.tail?.sequence != lastRecord { needs.append(TimeCall.tail) }
        if time.hasActivity, time.activity.map({ $0.last < lastRecord }) ?? true { needs.append(TimeCall.activity) }
        if time.areBookmarksStale { needs.append(TimeCall.bookmarks) }
        if time.marks.areAlertsStale, tabs.contains(where: { $0.name == "alerts" }) { needs.append(TimeCall.alerts) }
        if time.marks.areInvariantsStale { needs.append(TimeCall.invariants) }
        // Steps are only shown for a short log.
        if lastRecord > firstMoment, lastRecord - firstMoment <= StepWindow.records,
            !time.window.holds(firstMoment + 1...lastRecord)
        {
            needs.append(TimeCall.steps)
        }
        return needs.filter { !time.asked.contains($0) }
    }

    private mutating func mark(what known: TimeState.KnownRecord?) {
        time.flashes = [:]
        let changes = (known?.changes ?? []).filter { $0.path == "todos.items" && $0.kind != .remove }
        guard changes.count <= 200 else { return }
        for change in changes { if let id = change.id { time.flashes[id] = now + Self.flashMicroseconds } }
        // Playback follows the changes with the cursor.
        if time.play != nil, let id = changes.first?.id { list.wanted = id }
    }
}
