import Records

/// Gives records their times: strictly increasing, whatever the machine's clock does.
///
/// Within one boot a clock that runs more than a day ahead of the boot clock is not believed until it has run in step
/// with it for an hour; after another boot more than 400 days are not. Until then records keep `last + 1` as their time,
/// and the raw time beside it. Behind the last time that there is, all records have that one.
///
/// Records of other machines count as times that there are already, and say nothing of this machine's clock.
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
    /// The last time in this boot at which this machine's clock was believed.
    private var believed: Reading?
    private var doubt: Reading?
    /// Whether the wall clock is not believed at the moment.
    var isDoubted: Bool { doubt != nil }

    /// Goes on after a record of `lastTime`, written at `lastBoot` of this boot (`nil`: in another boot, or never).
    init(lastTime: Int64, lastBoot: Int64?) {
        self.lastTime = lastTime
        believed = lastBoot.map { Reading(wall: lastTime, boot: $0) }
    }

    /// Goes on after a record of another machine, whose clock may be another, and which may be of long ago.
    ///
    /// A machine that writes nothing itself knows its clock from then on too: should it jump later, that is not passed on to all.
    mutating func follow(_ time: Int64, at now: Reading) {
        lastTime = time
        if believed == nil, !isAhead(now) { believed = Reading(wall: max(now.wall, time), boot: now.boot) }
    }

    /// The time that the next record would get.
    func next(_ now: Reading) -> Int64 {
        var trial = self
        return trial.stamp(now).time
    }

    /// Whether the wall clock is not believed at a moment, without a record; to ask begins its trial, or goes on with it.
    mutating func doubts(_ now: Reading) -> Bool { !isBelievable(now) }

    mutating func stamp(_ now: Reading) -> Stamp {
        let isBelieved = isBelievable(now)
        let next = lastTime.adding(clamping: 1)
        let time = isBelieved ? max(now.wall, next) : next
        if isBelieved { (believed, doubt) = (Reading(wall: time, boot: now.boot), nil) }
        lastTime = time
        return Stamp(time: time, rawTime: time == now.wall ? nil : now.wall)
    }

    private mutating func isBelievable(_ now: Reading) -> Bool {
        guard isAhead(now) else {
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

    private func isAhead(_ now: Reading) -> Bool {
        guard lastTime != 0 else { return false }
        guard let believed else { return now.wall.subtracting(clamping: lastTime) > Self.otherBootJumpMax }
        let passed = max(0, now.boot.subtracting(clamping: believed.boot))
        return now.wall.subtracting(clamping: max(lastTime, believed.wall.adding(clamping: passed))) > Self.sameBootJumpMax
    }
}
