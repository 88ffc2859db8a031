import Chronicle
import Dates
import Terminal
import TodoAPI
import Varlink

// Moves of the handle. A move whose target is unknown waits for the daemon's reply, and later moves wait for it, so no key is
// lost.
extension ScreenModel {
    private static let movesMax = 64

    var handle: UInt64 { time.wanted ?? lastRecord }

    var lastRecord: UInt64 { max(head?.sequence ?? 0, time.tail?.sequence ?? 0) }

    /// The oldest moment in the log.
    var firstMoment: UInt64 { min(time.activity?.first ?? 0, lastRecord) }

    var handleTime: Int64? {
        guard let wanted = time.wanted else { return time.tail?.record?.time ?? head?.time }
        return instant(of: wanted)
    }

    func instant(of moment: UInt64) -> Int64? { time.record?.sequence == moment ? time.record?.record?.time : nil }

    mutating func make(_ move: TimeMove) {
        guard presence == .connected else {
            message = ScreenMessage(text: "The daemon is away.", kind: .note)
            return
        }
        guard time.moves.count < Self.movesMax else { return }
        time.typed = nil
        time.moves.append(move)
        makeMoves()
    }

    mutating func makeMoves() {
        while time.seek == nil, !time.moves.isEmpty {
            switch time.moves.removeFirst() {
            case .record(let isNext): go(to: isNext ? handle + 1 : max(handle, firstMoment + 1) - 1)
            case .step(let isNext): goStep(isNext: isNext)
            case .day(let isNext): goDay(isNext: isNext)
            case .change(let path, let isNext): goChange(of: path, isNext: isNext)
            }
        }
    }

    mutating func stopMoving() {
        (time.moves, time.seek) = ([], nil)
        time.asked.remove(TimeCall.seek)
    }

    mutating func go(to moment: UInt64) {
        guard moment < lastRecord else { return goLive() }
        // The present todos are the starting point of the first diff.
        if time.wanted == nil { beginPast() }
        if time.whatIf != nil { time.past.todos.touchAll() }
        time.whatIf = nil
        if time.wanted != moment { time.offset = 0 }
        time.wanted = max(moment, firstMoment)
    }

    mutating func beginPast() {
        time.past = PastState()
        if areTodosComplete, let todosAt { time.past.begin(todos, at: todosAt) }
    }

    mutating func goLive() {
        if time.wanted != nil { askFilterAgain() }
        (time.wanted, time.shown, time.play, time.whatIf) = (nil, nil, nil, nil)
        (time.record, time.why, time.views, time.flashes) = (nil, nil, [:], [:])
        (time.rounds, time.offset, time.isSelectionShown) = ([], 0, false)
        time.past = PastState()
        if time.pinned == nil { time.difference = nil }
    }

    private mutating func goStep(isNext: Bool) {
        switch isNext ? time.window.next(handle, last: lastRecord) : time.window.previous(handle, base: firstMoment) {
        case .moment(let moment): go(to: moment)
        case .read(let range):
            seek(
                .steps(isNext: isNext), .init(from: Point(sequence: range.lowerBound), to: Point(sequence: range.upperBound)))
        case .end(let step, let sequence):
            let point = Point(sequence: sequence)
            let condition = "record.step != \(step)"
            if isNext {
                seek(.before, otherwise: lastRecord, .init(from: point, limit: 1, where: condition))
            } else {
                seek(.record, otherwise: firstMoment, .init(to: point, limit: 1, reverse: true, where: condition))
            }
        }
    }

    private mutating func goDay(isNext: Bool) {
        guard isNext ? handle < lastRecord : handle > firstMoment else { return }
        if !isNext, let time = handleTime { return goDay(of: time, isNext: false) }
        let point = Point(sequence: isNext ? handle + 1 : handle)
        seek(.day(isNext: isNext), .init(from: point, to: point))
    }

    /// Goes to the end of a time's day, or of the previous day.
    private mutating func goDay(of instant: Int64, isNext: Bool) {
        let zone = context.zone
        let day = zone.moment(at: instant / 1_000_000).day
        let end = zone.instant(isNext ? day.adding(days: 1) : day, 0) * 1_000_000 - 1
        guard end < now else { return go(to: lastRecord) }
        seek(.record, otherwise: firstMoment, .init(to: Point(time: end), limit: 1, reverse: true))
    }

    private mutating func goChange(of path: String, isNext: Bool) {
        guard isNext ? handle < lastRecord : handle > firstMoment + 1 else { return sayNothingFurther() }
        let point = Point(sequence: isNext ? handle + 1 : handle - 1)
        seek(
            .record,
            isNext
                ? .init(from: point, limit: 1, path: path) : .init(to: point, limit: 1, reverse: true, path: path))
    }

    mutating func seek(_ goal: Seek.Goal, otherwise: UInt64? = nil, _ input: LogMethod.Input) {
        time.seek = Seek(goal: goal, otherwise: otherwise, call: ScreenCall(LogMethod.self, input, over: .own, more: true))
    }

    private mutating func sayNothingFurther() {
        stopMoving()
        message = ScreenMessage(text: "There is no further change.", kind: .note)
    }
}

// MARK: - Search results

extension ScreenModel {
    mutating func takeFound(_ answer: LogMethod.Output, isLast: Bool) {
        guard let seek = time.seek else { return }
        if case .steps(let isNext) = seek.goal {
            time.seek?.found += answer.records.map { ($0.sequence, $0.step) }
            guard isLast, let found = time.seek?.found else { return }
            time.seek = nil
            guard !found.isEmpty else { return sayNothingFurther() }
            time.window.take(found)
            time.moves.insert(.step(isNext: isNext), at: 0)
            return makeMoves()
        }
        guard let record = answer.records.first else {
            if isLast { foundNothing() }
            return
        }
        (time.seek, time.typed) = (nil, nil)
        time.asked.remove(TimeCall.seek)
        switch seek.goal {
        case .record, .steps: go(to: record.sequence)
        case .before: go(to: record.sequence - 1)
        case .day(let isNext): goDay(of: record.time, isNext: isNext)
        }
        makeMoves()
    }

    mutating func foundNothing() {
        guard let otherwise = time.seek?.otherwise else { return sayNothingFurther() }
        time.seek = nil
        go(to: otherwise)
        makeMoves()
    }
}

enum TimeMove: Equatable {
    case record(isNext: Bool)
    case step(isNext: Bool)
    case day(isNext: Bool)
    case change(String, isNext: Bool)
}

/// A log query that finds a move's target.
struct Seek {
    enum Goal: Equatable {
        case record
        case before
        /// The end of the record's day is searched next.
        case day(isNext: Bool)
        /// The records fill the step window, then the move is repeated.
        case steps(isNext: Bool)
    }

    let goal: Goal
    /// The target if nothing is found; `nil` reports that.
    let otherwise: UInt64?
    let call: ScreenCall
    var found: [(sequence: UInt64, step: UInt64)] = []
}

extension ScreenModel {
    /// Maximum speed in records per second, and minimum time between frames in microseconds.
    private static let speedMax = 65_536.0
    private static let pauseMin = 40_000.0

    mutating func play() {
        stopMoving()
        if time.wanted == nil { go(to: firstMoment) }
        time.play = TimeState.Play(speed: 2, due: now)
    }

    mutating func change(speed factor: Double, _ before: TimeState.Play?) {
        guard let before else { return }
        let speed = min(max(before.speed * factor, Playback.speedMin), Self.speedMax)
        time.play = TimeState.Play(speed: speed, due: now)
    }

    /// Advances the playback if it is time and the last moment is shown or requested next.
    mutating func playOn() {
        guard let play = time.play, play.due <= now, let wanted = time.wanted, time.canAsk, time.isWantedAsked else { return }
        let pause = max(1_000_000 / play.speed, Self.pauseMin)
        let records = max(1, UInt64(play.speed * pause / 1_000_000))
        // Makes up for a late reply.
        time.play?.due = max(play.due + Int64(pause), now)
        go(to: wanted + records)
    }

    mutating func press(strip mouse: MouseEvent) -> Bool {
        guard let region = ScreenRegions(size).strip else { return false }
        switch mouse.kind {
        case .press(.left): time.isDragging = region.contains(column: mouse.position.column, row: mouse.position.row)
        case .drag(.left): break
        case .release:
            defer { time.isDragging = false }
            return time.isDragging
        default: return false
        }
        guard time.isDragging else { return false }
        time.play = nil
        stopMoving()
        go(to: strip(width: region.width).sequence(at: mouse.position.column - region.column))
        return true
    }

    func strip(width: Int) -> TimeStrip { TimeStrip(time.activity, last: lastRecord, width: width) }
}

extension ScreenModel {
    private static let momentPrompt = 1
    private static let bookmarkPrompt = 2

    mutating func askForMoment() { prompt = Prompt(.time(Self.momentPrompt, label: "go to")) }

    mutating func askForBookmark() { prompt = Prompt(.time(Self.bookmarkPrompt, label: "name of @\(handle)")) }

    /// Takes a line typed for `Prompt.Purpose.time`.
    mutating func typedTime(_ purpose: Int, _ text: String) -> [ScreenRequest] {
        guard purpose == Self.momentPrompt else {
            let input = SetBookmarkMethod.Input(bookmark: text, at: Point(sequence: handle))
            return [call(TimeCall.setBookmark, ScreenCall(SetBookmarkMethod.self, input, over: .quick))]
        }
        stopMoving()
        do throws(Failure) {
            let point = try moment(in: text)
            if point == .now || point.back == 0 {
                goLive()
            } else if point == .start {
                go(to: firstMoment)
            } else if let sequence = point.sequence, sequence <= lastRecord {
                go(to: sequence)
            } else {
                seek(.record, otherwise: firstMoment, .init(to: point, limit: 1, reverse: true))
            }
        } catch { message = ScreenMessage(text: Self.sentence(error), kind: .failure) }
        return []
    }

    private func moment(in text: String) throws(Failure) -> Point {
        let parser = PointParser(now: now / 1_000_000, zone: context.zone, weekBegin: context.weekBegin)
        do { return try parser.point(text, edge: .moment).point } catch { throw Failure(error) }
    }

    func reading(ofTime purpose: Int, _ text: String) -> String? {
        guard purpose == Self.momentPrompt else { return nil }
        do throws(Failure) {
            guard let time = try moment(in: text).time else { return nil }
            return context.zone.moment(at: time / 1_000_000).long
        } catch { return nil }
    }

    /// Why the text names no known moment; `nil` if it may.
    func mistake(ofTime purpose: Int, _ text: String) -> String? {
        guard purpose == Self.momentPrompt else { return nil }
        do throws(Failure) {
            guard let name = try moment(in: text).bookmark, !time.areBookmarksStale, !time.asked.contains(TimeCall.bookmarks),
                !time.bookmarks.contains(where: { $0.name.hasSameBytes(as: name) })
            else { return nil }
            return "No moment, and no bookmark, is called “\(Visible.text(name))”."
        } catch { return Self.sentence(error) }
    }
}
