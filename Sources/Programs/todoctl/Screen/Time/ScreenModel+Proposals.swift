import Chronicle
import Terminal
import Varlink

extension ScreenModel {
    mutating func pin() {
        if time.pinned == handle || time.pinned != nil && time.isLive {
            (time.pinned, time.difference) = (nil, nil)
        } else {
            (time.pinned, time.difference) = (handle, nil)
            message = ScreenMessage(
                text: "Pinned @\(handle): differences from it are marked; d unpins.", kind: .note)
        }
    }

    mutating func askWhatIf() -> [ScreenRequest] {
        let record = handle
        guard presence == .connected, time.whatIf == nil, record > firstMoment else { return closeWhatIf() }
        stopMoving()
        time.play = nil
        time.offset = 0
        let known = time.wanted == nil ? time.tail : time.record
        let sentence = known?.sequence == record ? recordPane(known)?.sentence ?? "" : ""
        var todos = todos
        todos.touchAll()
        time.whatIf = WhatIfPane(record: record, sentence: sentence, todos)
        // Drops an earlier what-if query.
        return [forget(TimeCall.whatIf)]
    }

    mutating func closeWhatIf() -> [ScreenRequest] {
        guard time.whatIf != nil else { return [] }
        time.whatIf = nil
        time.offset = 0
        time.past.todos.touchAll()
        return [forget(TimeCall.whatIf)]
    }

    mutating func propose(_ kind: ProposedStep.Kind) -> [ScreenRequest] {
        if let refusal, kind == .undo || kind == .redo {
            message = ScreenMessage(text: refusal, kind: .note)
            return []
        }
        guard presence == .connected else {
            message = ScreenMessage(text: "The daemon is away.", kind: .failure)
            return []
        }
        if let change = time.backgroundChange {
            message = ScreenMessage(text: "The daemon has not answered yet: \(change.title).", kind: .note)
            return []
        }
        stopMoving()
        time.play = nil
        time.offset = 0
        let proposal = ProposedStep(kind, at: lastRecord)
        time.proposal = proposal
        return [call(TimeCall.proposal, proposal.call())]
    }

    mutating func pressProposal(_ key: ScreenKey) -> [ScreenRequest] {
        guard var proposal = time.proposal else { return [] }
        switch key {
        case .escape, .character("q"), .character("n"):
            time.proposal = nil
            guard proposal.key != nil else { return [forget(TimeCall.proposal)] }
            // The change continues; its result becomes a message.
            time.backgroundChange = proposal
            message = ScreenMessage(text: "The change continues; its result is shown here.", kind: .note)
        case .enter, .character("y"):
            guard proposal.canBeMade(at: lastRecord), presence == .connected else { return [] }
            proposal.key = nextKey()
            time.proposal = proposal
            // A pending preview is obsolete.
            return [forget(TimeCall.proposal), call(TimeCall.makeProposal, proposal.call())]
        case .character("F") where proposal.canBeForced:
            proposal = ProposedStep(proposal.kind, at: lastRecord)
            proposal.isForced = true
            time.proposal = proposal
            return [call(TimeCall.proposal, proposal.call())]
        case .down, .character("j"), .character(")"): time.offset += 1
        case .up, .character("k"), .character("("): time.offset = max(0, time.offset - 1)
        default: break
        }
        return []
    }

    mutating func blame() {
        guard let path = selectedPath else {
            message = ScreenMessage(text: "Nothing is selected.", kind: .note)
            return
        }
        show(blame: BlamePane(path: path, at: time.wanted))
    }

    private mutating func show(blame: BlamePane) {
        time.offset = 0
        time.asked.remove(TimeCall.blame)
        time.blame = blame
    }

    mutating func pressBlame(_ key: ScreenKey) -> [ScreenRequest] {
        guard let pane = time.blame else { return [] }
        switch key {
        case .escape, .character("q"), .character("b"):
            time.blame = nil
            time.offset = 0
            return [forget(TimeCall.blame)]
        case .up, .character("k"): time.blame?.move(-1)
        case .down, .character("j"): time.blame?.move(1)
        case .pageUp: time.blame?.move(-10)
        case .pageDown: time.blame?.move(10)
        case .character("h"):
            guard let line = pane.selectedLine, !pane.isHistory else { return [] }
            show(blame: BlamePane(path: line.path, at: pane.at, isHistory: true))
        case .enter, .character("t"):
            guard let line = pane.selectedLine else { return [] }
            time.blame = nil
            stopMoving()
            go(to: line.record)
        default: break
        }
        return []
    }
}
