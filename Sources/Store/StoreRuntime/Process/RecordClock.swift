import Records

/// Gives records their times: strictly increasing, whatever the machine's clock does.
///
/// Within one boot a clock that runs more than a day ahead of the boot clock is not believed until it has run in step
/// with it for an hour; after another boot more than 400 days are not. Until then records keep `last + 1` as their time,
/// and the raw time beside it. Behind the last time that there is, all records have that one.
struct RecordClock: Sendable {
    static let sameBootJumpMax: Int64 = 24 * 3_600 * 1_000_000
    static let otherBootJumpMax: Int64 = 400 * 24 * 3_600 * 1_000_000
    static let trialPeriod: Int64 = 3_600 * 1_000_000
    /// How far the two clocks may drift apart during the trial.
    static let stepTolerance: Int64 = 60 * 1_000_000

    /// The times of one moment, in microseconds.
    struct Reading: Sendable, Equatable {
        var wall: Int64
        var boot: Int64

        /// Whether both clocks went on alike since, as far as clocks do.
        func isInStep(with later: Reading) -> Bool {
            let apart = later.wall.subtracting(clamping: wall).subtracting(clamping: later.boot.subtracting(clamping: boot))
            return (-stepTolerance...stepTolerance).contains(apart)
        }
    }

    struct Stamp: Sendable, Equatable {
        var time: Int64
        /// The wall clock's own word, where it differs.
        var rawTime: Int64?
    }

    private var lastTime: Int64
    private var lastBoot: Int64?
    private var doubt: Reading?
    /// Whether the wall clock is not believed at the moment.
    var isDoubted: Bool { doubt != nil }

    /// Goes on after a record of `lastTime`, written at `lastBoot` of this boot (`nil`: in another boot, or never).
    init(lastTime: Int64, lastBoot: Int64?) {
        self.lastTime = lastTime
        self.lastBoot = lastBoot
    }

    /// Goes on after a record of another machine, whose clock may be another, and which may be of long ago.
    mutating func follow(_ time: Int64) {
        // Without a new record it is still known when the last was written here.
        guard time != lastTime else { return }
        (lastTime, lastBoot) = (time, nil)
    }

    /// The time that the next record would get.
    func next(_ now: Reading) -> Int64 {
        var trial = self
        return trial.stamp(now).time
    }

    /// Whether the wall clock is not believed at a moment, without a record; to ask begins its trial, or goes on with it.
    mutating func doubts(_ now: Reading) -> Bool { !isBelievable(now) }

    mutating func stamp(_ now: Reading) -> Stamp {
        let believed = isBelievable(now)
        let next = lastTime.adding(clamping: 1)
        let time = believed ? max(now.wall, next) : next
        if believed { (lastBoot, doubt) = (now.boot, nil) }
        lastTime = time
        return Stamp(time: time, rawTime: time == now.wall ? nil : now.wall)
    }

    private mutating func isBelievable(_ now: Reading) -> Bool {
        let ahead: Bool
        if lastTime == 0 {
            ahead = false
        } else if let lastBoot {
            let passed = max(0, now.boot.subtracting(clamping: lastBoot))
            ahead = now.wall.subtracting(clamping: lastTime.adding(clamping: passed)) > Self.sameBootJumpMax
        } else {
            ahead = now.wall.subtracting(clamping: lastTime) > Self.otherBootJumpMax
        }
        guard ahead else {
            doubt = nil
            return true
        }
        guard let since = doubt, since.isInStep(with: now) else {
            doubt = now
            return false
        }
        // What it was on trial for is forgotten with the first record that has its time: until then it is as far ahead.
        return now.boot.subtracting(clamping: since.boot) >= Self.trialPeriod
    }
}
