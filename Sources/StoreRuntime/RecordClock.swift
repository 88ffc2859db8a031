/// Gives records their times: strictly increasing, whatever the machine's clock does.
///
/// Within one boot a clock that runs more than a day ahead of the boot clock is not believed until it has run in step
/// with it for an hour; after another boot more than 400 days are not. Until then records keep `last + 1` as their time,
/// and the raw time beside it.
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

    /// The time that the next record would get.
    func next(_ now: Reading) -> Int64 {
        var trial = self
        return trial.stamp(now).time
    }

    mutating func stamp(_ now: Reading) -> Stamp {
        let believed = isBelievable(now)
        let time = believed ? max(now.wall, lastTime + 1) : lastTime + 1
        if believed { lastBoot = now.boot }
        lastTime = time
        return Stamp(time: time, rawTime: time == now.wall ? nil : now.wall)
    }

    private mutating func isBelievable(_ now: Reading) -> Bool {
        let ahead: Bool
        if lastTime == 0 {
            ahead = false
        } else if let lastBoot {
            ahead = now.wall - (lastTime + max(0, now.boot - lastBoot)) > Self.sameBootJumpMax
        } else {
            ahead = now.wall - lastTime > Self.otherBootJumpMax
        }
        guard ahead else {
            doubt = nil
            return true
        }
        guard let since = doubt, abs((now.wall - since.wall) - (now.boot - since.boot)) <= Self.stepTolerance else {
            doubt = now
            return false
        }
        guard now.boot - since.boot >= Self.trialPeriod else { return false }
        doubt = nil
        return true
    }
}
