import Dates
import Reducing
import Terminal
import TodoAPI
import Varlink

/// The numbers of the calls of the part `time`.
enum TimeCall {
    /// The todos at a moment, or what leads there.
    static let state = 1
    /// The record of a moment.
    static let record = 2
    static let why = 3
    static let activity = 4
    static let bookmarks = 5
    static let seek = 6
    static let whatIf = 7
    static let proposal = 8
    static let carrying = 9
    static let deed = 10
    static let blame = 11
    /// The records as they come.
    static let follow = 12
    /// The last record, with what it changed.
    static let tail = 13
    static let difference = 14
    static let setBookmark = 15
    /// What the feature of a tab shows at a moment.
    static let firstView = 100
}

extension ScreenModel {
    /// How long the strip and the last record stay as they are while records come, in microseconds.
    private static let quiet: Int64 = 250_000
    /// How long what the daemon had no room for is waited with, in microseconds.
    private static let retry: Int64 = 100_000

    /// When something here is to change by itself, in microseconds since 1970: `clock` is told then.
    var timeWake: Int64? {
        var times = [time.retryAt].compactMap { $0 }
        if let play = time.play, time.shown == time.wanted { times.append(play.due) }
        if presence == .there, isTailStale || isActivityStale { times.append(time.quietUntil) }
        return times.min()
    }

    /// Takes an event that is no key: replies to its own calls, `clock`, `connected` (before which all calls are forgotten), `away`, `size`.
    mutating func updateTime(_ event: ScreenEvent) -> [ScreenRequest] {
        switch event {
        case .clock:
            if let retryAt = time.retryAt, retryAt <= now { time.retryAt = nil }
            playOn()
        case .connected: return beginTime()
        case .away: forgetTimeCalls()
        case .reply(let tag, let reply): return takeTime(tag.number, reply)
        default: break
        }
        return []
    }

    /// Nothing is on its way any more.
    private mutating func forgetTimeCalls() {
        (time.round, time.roundMoment, time.asked, time.seek, time.retryAt) = ([], nil, [], nil, nil)
        time.past.forget()
        time.play = nil
        if time.difference?.isKnown == false { time.difference = nil }
        if time.whatIf?.isKnown == false { time.whatIf = nil }
        if time.proposal?.key == nil { time.proposal = nil }
    }

    private mutating func beginTime() -> [ScreenRequest] {
        forgetTimeCalls()
        (time.hasActivity, time.areBookmarksStale) = (true, true)
        // What was bookmarked or taken back meanwhile is not known.
        (time.window, time.tail, time.quietUntil) = (StepWindow(), nil, 0)
        let input = SubscribeMethod.Input(kind: "records")
        var requests: [ScreenRequest] = [
            .call(RequestTag(.time, TimeCall.follow), ScreenCall(SubscribeMethod.self, input, over: .own, more: true))
        ]
        // With its key it is done once, however often it is asked for.
        if let proposal = time.proposal { requests.append(.call(RequestTag(.time, TimeCall.carrying), proposal.call())) }
        return requests
    }

    private var isTailStale: Bool { time.tail == nil || lastRecord != time.tail?.sequence }

    private var isActivityStale: Bool { time.hasActivity && time.activity.map { $0.last < lastRecord } ?? true }

    // MARK: - What has to be asked for

    /// Asks for what is not known of what is shown, and is not on its way.
    mutating func askTime() -> [ScreenRequest] {
        guard presence == .there, time.retryAt == nil else { return [] }
        var requests: [ScreenRequest] = []
        if let wanted = time.wanted, time.whatIf == nil { requests += askMoment(wanted) }
        requests += askStrip()
        func call(_ number: Int, _ call: ScreenCall) {
            time.asked.insert(number)
            requests.append(.call(RequestTag(.time, number), call))
        }
        if let blame = time.blame, !blame.isKnown, !time.asked.contains(TimeCall.blame) { call(TimeCall.blame, blame.call) }
        if let pinned = time.pinned, time.shown == time.wanted,
            time.difference.map({ $0.pinned != pinned || $0.moment != handle }) ?? true,
            time.difference?.isKnown != false, pinned != handle
        {
            time.difference = PinnedDifference(pinned: pinned, moment: handle)
            let input = DiffMethod.Input(from: Point(sequence: pinned), to: Point(sequence: handle))
            call(TimeCall.difference, ScreenCall(DiffMethod.self, input, over: .own, more: true))
        }
        return requests
    }

    /// Asks for a moment: first for what is seen of it, together; then, if nobody wants another, for what is said of it.
    private mutating func askMoment(_ wanted: UInt64) -> [ScreenRequest] {
        guard time.round.isEmpty else { return [] }
        let point = Point(sequence: wanted)
        var calls: [(Int, ScreenCall)] = []
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
        if time.record?.sequence != wanted {
            if wanted <= firstMoment {
                time.record = TimePart.KnownRecord(sequence: wanted, record: nil, changes: [])
            } else {
                calls.append((TimeCall.record, Self.recordCall(wanted)))
            }
        }
        if let view = viewCall(tab, at: point, wanted) { calls.append((TimeCall.firstView + tab, view)) }
        if calls.isEmpty {
            let isNew = time.shown != wanted
            time.shown = wanted
            if isNew { mark(what: time.record) }
            guard time.play == nil else { return [] }
            for index in tabs.indices where ["alerts", "flows"].contains(tabs[index].name) {
                if let view = viewCall(index, at: point, wanted) { calls.append((TimeCall.firstView + index, view)) }
            }
            if time.record?.record != nil, time.why?.sequence != wanted {
                calls.append((TimeCall.why, ScreenCall(WhyMethod.self, .init(sequence: wanted), over: .past)))
            }
        }
        time.round = Set(calls.map { $0.0 })
        time.roundMoment = wanted
        return calls.map { .call(RequestTag(.time, $0.0), $0.1) }
    }

    private static func recordCall(_ sequence: UInt64) -> ScreenCall {
        let point = Point(sequence: sequence)
        return ScreenCall(LogMethod.self, .init(from: point, to: point, changes: true), over: .past, more: true)
    }

    /// Asks what a tab shows at a moment, if that is not known.
    private func viewCall(_ index: Int, at point: Point, _ wanted: UInt64) -> ScreenCall? {
        guard tabs.indices.contains(index), tabs[index].kind == .feature, time.views[tabs[index].name]?.sequence != wanted else {
            return nil
        }
        guard isOneFeature else { return ScreenCall(ViewMethod.self, .init(feature: tabs[index].name, at: point), over: .past) }
        return ScreenCall(GetStateMethod.self, .init(at: point), over: .past)
    }

    /// Asks for what the strip shows.
    private mutating func askStrip() -> [ScreenRequest] {
        var requests: [ScreenRequest] = []
        if time.areBookmarksStale, time.asked.insert(TimeCall.bookmarks).inserted {
            time.bookmarks = []
            let call = ScreenCall(BookmarksMethod.self, NoFields(), over: .questions, more: true)
            requests.append(.call(RequestTag(.time, TimeCall.bookmarks), call))
        }
        guard time.quietUntil <= now, head != nil || time.tail != nil, lastRecord > 0 else { return requests }
        let last = lastRecord
        if isTailStale, time.asked.insert(TimeCall.tail).inserted {
            let point = Point(sequence: last)
            let call = ScreenCall(LogMethod.self, .init(from: point, to: point, changes: true), over: .questions, more: true)
            requests.append(.call(RequestTag(.time, TimeCall.tail), call))
        }
        if isActivityStale, time.asked.insert(TimeCall.activity).inserted {
            requests.append(.call(RequestTag(.time, TimeCall.activity), Activity.call))
        }
        if !requests.isEmpty { time.quietUntil = now + Self.quiet }
        return requests
    }

    /// Marks what a record changed, for a moment.
    private mutating func mark(what known: TimePart.KnownRecord?) {
        list.flashes = [:]
        let changes = (known?.changes ?? []).filter { $0.path == "todos.items" && $0.kind != .remove }
        guard changes.count <= 200 else { return }
        for change in changes { if let id = change.id { list.flashes[id] = now + Self.flashMicroseconds } }
        // While it is played one looks at what changes.
        if time.play != nil, let id = changes.first?.id { list.wanted = id }
    }
}

// MARK: - Replies

extension ScreenModel {
    private mutating func takeTime(_ number: Int, _ reply: ScreenReply) -> [ScreenRequest] {
        let isLast = !reply.continues
        if isLast {
            time.round.remove(number)
            time.asked.remove(number)
        }
        do throws(Failure) {
            switch number {
            case TimeCall.state: try takeState(reply, isLast)
            case TimeCall.record:
                let answer = try reply.output(LogMethod.self)
                guard let moment = time.roundMoment, let entry = answer.entries.first else { break }
                time.record = TimePart.KnownRecord(sequence: moment, record: entry.record, changes: entry.detail?.changes)
            case TimeCall.tail:
                let answer = try reply.output(LogMethod.self)
                guard let entry = answer.entries.first else { break }
                time.tail = TimePart.KnownRecord(
                    sequence: entry.record.sequence, record: entry.record, changes: entry.detail?.changes)
            case TimeCall.why:
                let answer = try reply.output(WhyMethod.self)
                time.why = (answer.sequence, answer)
            case TimeCall.activity: time.activity = Activity(try reply.output(ActivityMethod.self)) ?? time.activity
            case TimeCall.bookmarks:
                time.bookmarks += try reply.output(BookmarksMethod.self).bookmarks
                if isLast { time.areBookmarksStale = false }
            case TimeCall.follow: takeRecords(try reply.output(SubscribeMethod.self))
            case TimeCall.seek: return takeFound(try reply.output(LogMethod.self), isLast)
            case TimeCall.whatIf: time.whatIf?.take(try reply.output(WhatIfMethod.self), isLast: isLast)
            case TimeCall.proposal:
                time.proposal?.take(reply)
                return askDeed()
            case TimeCall.carrying: takeDone(reply)
            case TimeCall.deed: time.proposal?.deed = try Self.deed(reply)
            case TimeCall.blame: time.blame?.take(try reply.output(BlameMethod.self), isLast: isLast)
            case TimeCall.difference: time.difference?.take(try reply.output(DiffMethod.self).changes ?? [], isLast: isLast)
            case TimeCall.setBookmark:
                let answer = try reply.output(SetBookmarkMethod.self)
                message = ScreenMessage(text: "A bookmark stands at @\(answer.sequence).")
                time.areBookmarksStale = true
            default: try takeView(number - TimeCall.firstView, reply)
            }
        } catch { refused(number, error) }
        return []
    }

    private mutating func takeState(_ reply: ScreenReply, _ isLast: Bool) throws(Failure) {
        switch time.past.asked {
        case .whole: _ = time.past.take(page: try reply.output(GetStateMethod.self).todos, isLast: isLast)
        case .changes: _ = time.past.take(changes: try reply.output(DiffMethod.self).changes ?? [], isLast: isLast)
        case nil: break
        }
    }

    private mutating func takeView(_ index: Int, _ reply: ScreenReply) throws(Failure) {
        guard tabs.indices.contains(index), let moment = time.roundMoment else { return }
        let view = isOneFeature ? try reply.output(GetStateMethod.self).state : try reply.output(ViewMethod.self).view
        time.views[tabs[index].name] = TimePart.KnownView(sequence: moment, view: view)
        if index == tab { moveRow(0) }
    }

    private mutating func takeRecords(_ reply: SubscribeMethod.Output) {
        if let epoch = head?.epoch, epoch != reply.epoch {
            // Another log: what was shown of the one before is not of this one.
            (time.activity, time.pinned, time.difference) = (nil, nil, nil)
            goLive()
        }
        if head.map({ $0.epoch != reply.epoch || $0.sequence < reply.sequence }) ?? true {
            head = Head(epoch: reply.epoch, sequence: reply.sequence, time: reply.time)
        }
        if reply.records.contains(where: { $0.kind == "bookmark" }) || reply.skipped > 0 { time.areBookmarksStale = true }
    }

    private mutating func takeFound(_ answer: LogMethod.Output, _ isLast: Bool) -> [ScreenRequest] {
        guard let seek = time.seek else { return [] }
        if case .step(let isNext) = seek {
            time.found += answer.records.map { ($0.sequence, $0.step) }
            guard isLast else { return [] }
            time.window.take(time.found)
            (time.found, time.seek) = ([], nil)
            return goStep(isNext: isNext)
        }
        guard let record = answer.records.first else {
            // A search that goes on tells how far it is.
            guard isLast else { return [] }
            time.seek = nil
            message = ScreenMessage(text: "There is nothing further.", kind: .note)
            return []
        }
        time.seek = nil
        guard seek == .endOfItsDay else {
            go(to: record.sequence)
            return []
        }
        let zone = surroundings.zone
        let end = zone.instant(zone.moment(at: record.time / 1_000_000).day.adding(days: 1), 0) * 1_000_000 - 1
        return self.seek(.record, .init(to: Point(time: end), limit: 1, reverse: true))
    }

    /// Asks what the first of the steps did that are taken back.
    private func askDeed() -> [ScreenRequest] {
        guard let step = time.proposal?.steps.first, time.proposal?.kind == .undo || time.proposal?.kind == .redo else {
            return []
        }
        let input = LogMethod.Input(from: Point(sequence: step), limit: 1, changes: true)
        return [.call(RequestTag(.time, TimeCall.deed), ScreenCall(LogMethod.self, input, over: .questions, more: true))]
    }

    private static func deed(_ reply: ScreenReply) throws(Failure) -> String? {
        try reply.output(LogMethod.self).entries.first.map { RecordSentence($0.record, $0.detail?.changes).text }
    }

    /// Takes what came of a step that was shown before.
    private mutating func takeDone(_ reply: ScreenReply) {
        guard let proposal = time.proposal else { return }
        time.proposal = nil
        do throws(Failure) {
            _ = try reply.result.get()
            // An undo is no step that the next undo takes back.
            let isTurn = proposal.kind == .undo || proposal.kind == .redo
            message = ScreenMessage(text: proposal.done + ".", kind: isTurn ? .note : .done)
            goLive()
        } catch { message = ScreenMessage(text: ProposedStep.told(error).joined(separator: " "), kind: .failure) }
    }

    /// Takes that the daemon refused, or has no room.
    private mutating func refused(_ number: Int, _ failure: Failure) {
        let isOfMoment = number <= TimeCall.why || number >= TimeCall.firstView
        if isOfMoment { time.past.forget() }
        if failure.isPassing {
            time.retryAt = now + Self.retry
            if number == TimeCall.difference { time.difference = nil }
            return
        }
        switch number {
        // A daemon of before knows no such method: then the strip shows no density.
        case TimeCall.activity: time.hasActivity = false
        case TimeCall.bookmarks: time.areBookmarksStale = false
        case TimeCall.why: time.why = nil
        case TimeCall.tail: time.tail = TimePart.KnownRecord(sequence: lastRecord, record: nil, changes: [])
        case TimeCall.deed: break
        case TimeCall.seek:
            time.seek = nil
            // There is none before the first.
            if Failure.short(failure.error?.name ?? "") == "EmptyRange" { return go(to: firstMoment) }
            message = ScreenMessage(text: Self.sentence(failure), kind: .failure)
        default:
            if isOfMoment { goLive() }
            if number == TimeCall.whatIf { time.whatIf = nil }
            if number == TimeCall.blame { time.blame = nil }
            if number == TimeCall.difference { (time.difference, time.pinned) = (nil, nil) }
            message = ScreenMessage(text: Self.sentence(failure), kind: .failure)
        }
    }
}
