import Chronicle
import Dates
import TodoAPI
import Varlink

extension ScreenModel {
    /// The delay before a call is repeated that the daemon was too busy for, in microseconds.
    private static let retry: Int64 = 100_000

    mutating func takeTime(_ number: Int, _ reply: ScreenReply) -> [ScreenRequest] {
        // A batch may contain replies that are no longer needed.
        if number >= TimeCall.roundNumbers {
            takeMoment(number % TimeCall.roundNumbers, base: number - number % TimeCall.roundNumbers, reply)
            return []
        }
        guard time.asked.contains(number) else { return [] }
        let isLast = !reply.continues
        if isLast { time.asked.remove(number) }
        do throws(Failure) {
            switch number {
            case TimeCall.tail:
                let answer = try reply.output(LogMethod.self)
                guard let entry = answer.entries.first else { break }
                time.tail = TimeState.KnownRecord(
                    sequence: entry.record.sequence, record: entry.record, changes: entry.detail?.changes)
            case TimeCall.activity: time.activity = Activity(try reply.output(ScanMethod.self)) ?? time.activity
            case TimeCall.bookmarks: time.bookmarks += try reply.output(BookmarksMethod.self).bookmarks
            case TimeCall.alerts: time.marks.take(alerts: try reply.output(BlameMethod.self), isLast: isLast)
            case TimeCall.invariants: time.marks.take(invariants: try reply.output(InvariantsMethod.self))
            case TimeCall.steps: time.window.take(try reply.output(LogMethod.self).records.map { ($0.sequence, $0.step) })
            case TimeCall.follow: takeRecords(try reply.output(SubscribeMethod.self))
            case TimeCall.seek: takeFound(try reply.output(LogMethod.self), isLast: isLast)
            case TimeCall.whatIf: time.whatIf?.take(try reply.output(WhatIfMethod.self), isLast: isLast)
            case TimeCall.proposal:
                time.proposal?.take(reply)
                let isUndoOrRedo = time.proposal?.kind == .undo || time.proposal?.kind == .redo
                return isUndoOrRedo && time.proposal?.summary == nil ? askSummary(time.proposal?.steps.first) : []
            case TimeCall.makeProposal: return takeDone(reply)
            case TimeCall.summary: return try takeSummary(reply)
            case TimeCall.blame: time.blame?.take(try reply.output(BlameMethod.self), isLast: isLast)
            case TimeCall.difference: time.difference?.take(try reply.output(DiffMethod.self).changes ?? [], isLast: isLast)
            case TimeCall.setBookmark:
                let answer = try reply.output(SetBookmarkMethod.self)
                message = ScreenMessage(text: "A bookmark stands at @\(answer.sequence).")
                time.areBookmarksStale = true
            default: break
            }
        } catch { refused(number, error) }
        return []
    }

    /// Takes a reply about a moment; ignores it if the screen no longer shows that moment.
    private mutating func takeMoment(_ number: Int, base: Int, _ reply: ScreenReply) {
        guard let place = time.rounds.firstIndex(where: { $0.base == base && $0.awaited.contains(number) }) else { return }
        let moment = time.rounds[place].moment
        let isLast = !reply.continues
        do throws(Failure) {
            switch number {
            case TimeCall.state: try takeState(reply, isLast)
            case TimeCall.record:
                let answer = try reply.output(LogMethod.self)
                guard let entry = answer.entries.first else { break }
                time.record = TimeState.KnownRecord(sequence: moment, record: entry.record, changes: entry.detail?.changes)
            case TimeCall.why:
                let answer = try reply.output(WhyMethod.self)
                time.why = (answer.sequence, answer)
            default: try takeView(number - TimeCall.firstView, of: moment, reply)
            }
        } catch {
            // The following changes would start from a state that is not loaded.
            time.rounds = []
            time.past.forget()
            return refused(number, of: moment, error)
        }
        guard isLast else { return }
        time.rounds[place].awaited.remove(number)
        guard time.rounds[place].awaited.isEmpty else { return }
        time.rounds.remove(at: place)
        arrive(at: moment)
    }

    /// Handles a call about a moment that the daemon refused or was too busy for.
    private mutating func refused(_ number: Int, of moment: UInt64, _ failure: Failure) {
        if failure.isTemporary {
            time.retryAt = now + Self.retry
        } else if number == TimeCall.why {
            time.why = (moment, nil)
        } else {
            stopMoving()
            // The moment was compacted away. The oldest remaining moment is the nearest one.
            if case .prunedSequence(let first, let last, _) = failure.known, moment < first, first < last {
                time.activity = nil
                beginPast()
                go(to: first)
            } else {
                goLive()
            }
            message = ScreenMessage(text: Self.sentence(failure), kind: .failure)
        }
    }

    private mutating func takeState(_ reply: ScreenReply, _ isLast: Bool) throws(Failure) {
        switch time.past.asked.first {
        case .whole: _ = time.past.take(page: try reply.output(GetStateMethod.self).todos, isLast: isLast)
        case .changes: _ = time.past.take(changes: try reply.output(DiffMethod.self).changes ?? [], isLast: isLast)
        case nil: break
        }
    }

    private mutating func takeView(_ index: Int, of moment: UInt64, _ reply: ScreenReply) throws(Failure) {
        guard tabs.indices.contains(index) else { return }
        let view = isOneFeature ? try reply.output(GetStateMethod.self).state : try reply.output(ViewMethod.self).view
        time.views[tabs[index].name] = TimeState.KnownView(sequence: moment, view: view)
        if index == tab { moveRow(0) }
    }

    private mutating func takeRecords(_ reply: SubscribeMethod.Output) {
        updateHead(Head(epoch: reply.epoch, sequence: reply.sequence, time: reply.time))
        if reply.records.contains(where: { $0.kind == "bookmark" }) || reply.skipped > 0 { time.areBookmarksStale = true }
        time.marks.note(reply.records, isGap: reply.skipped > 0)
        time.window.extend(by: reply.records.map { ($0.sequence, $0.step) })
    }

    private mutating func askSummary(_ step: UInt64?) -> [ScreenRequest] {
        guard let step else { return [] }
        let input = LogMethod.Input(from: Point(sequence: step), limit: 1, changes: true)
        return [call(TimeCall.summary, ScreenCall(LogMethod.self, input, over: .questions, more: true))]
    }

    private mutating func takeSummary(_ reply: ScreenReply) throws(Failure) -> [ScreenRequest] {
        guard let entry = try reply.output(LogMethod.self).entries.first else { return [] }
        // A redo repeats what the undone undo had undone.
        if time.proposal?.kind == .redo, let undone = entry.record.undoes { return askSummary(undone) }
        time.proposal?.summary = RecordSentence(entry.record, entry.detail?.changes).text
        return []
    }

    private mutating func takeDone(_ reply: ScreenReply) -> [ScreenRequest] {
        let isShown = time.backgroundChange == nil
        guard var proposal = time.backgroundChange ?? time.proposal else { return [] }
        if isShown { time.proposal = nil } else { time.backgroundChange = nil }
        do throws(Failure) {
            _ = try reply.result.get()
            // The next undo skips this undo.
            let isUndoOrRedo = proposal.kind == .undo || proposal.kind == .redo
            message = ScreenMessage(text: proposal.done + ".", kind: isUndoOrRedo ? .note : .done)
            // The pane may be closed by now.
            if isShown { goLive() }
        } catch {
            if isShown, case .staleSequence = error.known {
                proposal.refuseStale(at: lastRecord)
                time.proposal = proposal
                return [call(TimeCall.proposal, proposal.call())]
            }
            message = ScreenMessage(text: ProposedStep.told(error).joined(separator: " "), kind: .failure)
        }
        return []
    }

    /// Handles a call that the daemon refused or was too busy for.
    private mutating func refused(_ number: Int, _ failure: Failure) {
        // A refused change is reported and not repeated.
        if failure.isTemporary, number != TimeCall.setBookmark { return askLater(number) }
        switch number {
        // Without this method the strip shows no density and no marks.
        case TimeCall.activity: time.hasActivity = false
        case TimeCall.alerts, TimeCall.invariants, TimeCall.bookmarks, TimeCall.summary: break
        // A missing right is not granted by repeating the call.
        case TimeCall.follow, TimeCall.steps: time.asked.insert(number)
        case TimeCall.tail: time.tail = TimeState.KnownRecord(sequence: lastRecord, record: nil, changes: [])
        case TimeCall.seek:
            // The first record has no predecessor.
            if ["EmptyRange", "PrunedSequence"].contains(Failure.short(failure.error?.name ?? "")) { return foundNothing() }
            stopMoving()
            if let typed = time.typed { refused.append(.line(typed)) }
            message = ScreenMessage(text: Self.sentence(failure), kind: .failure)
        default:
            if number == TimeCall.setBookmark, let typed = time.typed { refused.append(.line(typed)) }
            if number == TimeCall.whatIf { time.whatIf = nil }
            if number == TimeCall.blame { time.blame = nil }
            if number == TimeCall.difference { (time.difference, time.pinned) = (nil, nil) }
            message = ScreenMessage(text: Self.sentence(failure), kind: .failure)
        }
    }

    /// Repeats a call from its beginning after a delay.
    private mutating func askLater(_ number: Int) {
        time.retryAt = now + Self.retry
        switch number {
        case TimeCall.difference: time.difference = nil
        case TimeCall.seek: time.seek?.found = []
        case TimeCall.whatIf: time.whatIf = time.whatIf?.restarted
        case TimeCall.blame: time.blame = time.blame?.restarted
        case TimeCall.alerts:
            time.marks.forgetAlerts()
            time.marks.areAlertsStale = true
        case TimeCall.invariants: time.marks.areInvariantsStale = true
        case TimeCall.bookmarks: time.areBookmarksStale = true
        default: break
        }
    }
}
