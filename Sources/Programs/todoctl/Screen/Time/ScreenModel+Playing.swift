import Terminal

// Playback and dragging of the handle.
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

    /// Handles the mouse on the strip; `false` if the event is elsewhere.
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
