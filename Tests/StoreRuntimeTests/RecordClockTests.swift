import Testing

@testable import StoreRuntime

private let second: Int64 = 1_000_000
private let hour = 3_600 * second
private let noon: Int64 = 1_800_000_000 * second

@Suite struct RecordClockTests {
    @Test func `times follow the wall clock when it runs`() {
        var clock = RecordClock(lastTime: 0, lastBoot: nil)
        #expect(clock.stamp(.init(wall: noon, boot: 10)) == .init(time: noon, rawTime: nil))
        #expect(clock.stamp(.init(wall: noon + 5, boot: 15)) == .init(time: noon + 5, rawTime: nil))
    }

    @Test func `a frozen clock still gives strictly increasing times and its own word beside them`() {
        var clock = RecordClock(lastTime: noon, lastBoot: 0)
        #expect(clock.stamp(.init(wall: noon, boot: 0)) == .init(time: noon + 1, rawTime: noon))
        #expect(clock.stamp(.init(wall: noon, boot: 0)) == .init(time: noon + 2, rawTime: noon))
    }

    @Test func `a clock set back an hour does not take the times back`() {
        var clock = RecordClock(lastTime: noon, lastBoot: 0)
        #expect(clock.stamp(.init(wall: noon - hour, boot: second)) == .init(time: noon + 1, rawTime: noon - hour))
    }

    @Test func `a jump of ten years is not believed until it has run in step for an hour`() {
        var clock = RecordClock(lastTime: noon, lastBoot: 0)
        let future = noon + 10 * 365 * 24 * hour
        #expect(clock.stamp(.init(wall: future, boot: second)) == .init(time: noon + 1, rawTime: future))
        #expect(clock.isDoubted)
        #expect(clock.stamp(.init(wall: future + hour - second, boot: hour)).time == noon + 2)
        #expect(clock.stamp(.init(wall: future + hour, boot: second + hour)) == .init(time: future + hour, rawTime: nil))
        #expect(!clock.isDoubted)
    }

    @Test func `what was believed after its trial is so until a record has its time, however often it is asked`() {
        var clock = RecordClock(lastTime: noon, lastBoot: 0)
        let future = noon + 10 * 365 * 24 * hour
        func isDoubted(after passed: Int64) -> Bool { clock.doubts(.init(wall: future + passed, boot: passed)) }
        #expect([0, hour - second, hour, hour + second, 2 * hour].map(isDoubted) == [true, true, false, false, false])
        #expect(clock.stamp(.init(wall: future + 3 * hour, boot: 3 * hour)).time == future + 3 * hour)
    }

    @Test func `a jump that is taken back leaves no trace`() {
        var clock = RecordClock(lastTime: noon, lastBoot: 0)
        _ = clock.stamp(.init(wall: noon + 48 * hour, boot: second))
        #expect(clock.stamp(.init(wall: noon + 2 * second, boot: 2 * second)) == .init(time: noon + 2 * second, rawTime: nil))
        #expect(!clock.isDoubted)
    }

    @Test func `two days that the boot clock saw too are believed`() {
        var clock = RecordClock(lastTime: noon, lastBoot: 0)
        #expect(clock.stamp(.init(wall: noon + 48 * hour, boot: 48 * hour)) == .init(time: noon + 48 * hour, rawTime: nil))
    }

    @Test func `a right clock is believed behind a record of long ago that another machine wrote and that came now`() {
        var clock = RecordClock(lastTime: noon - 72 * hour, lastBoot: nil)
        clock.follow(noon - 71 * hour, at: .init(wall: noon, boot: second))
        #expect(clock.stamp(.init(wall: noon + second, boot: 2 * second)) == .init(time: noon + second, rawTime: nil))
    }

    @Test func `a clock that was believed and jumps is doubted behind records of other machines too`() {
        var clock = RecordClock(lastTime: noon, lastBoot: 0)
        for sent in [noon, noon + 1] {
            clock.follow(sent, at: .init(wall: noon + second, boot: second))
            #expect(
                clock.stamp(.init(wall: noon + 72 * hour, boot: 2 * second)) == .init(time: sent + 1, rawTime: noon + 72 * hour))
        }
    }

    @Test func `the clock of a machine that only follows is known too`() {
        var clock = RecordClock(lastTime: 0, lastBoot: nil)
        clock.follow(noon - 400 * 24 * hour, at: .init(wall: noon, boot: 0))
        clock.follow(noon, at: .init(wall: noon + second, boot: second))
        let jumped = noon + 300 * 24 * hour
        #expect(clock.stamp(.init(wall: jumped, boot: 2 * second)) == .init(time: noon + 1, rawTime: jumped))
    }

    @Test func `what others wrote ahead of this clock is no reason to doubt it`() {
        var clock = RecordClock(lastTime: noon, lastBoot: 0)
        clock.follow(noon + 48 * hour, at: .init(wall: noon + second, boot: second))
        #expect(clock.stamp(.init(wall: noon + 49 * hour, boot: 49 * hour)) == .init(time: noon + 49 * hour, rawTime: nil))
        clock.follow(noon + 400 * hour, at: .init(wall: noon + 49 * hour, boot: 49 * hour))
        let isDoubted = clock.doubts(.init(wall: noon + 50 * hour, boot: 50 * hour))
        #expect(!isDoubted)
    }

    @Test func `after another boot a year is believed and two are not`() {
        var clock = RecordClock(lastTime: noon, lastBoot: nil)
        #expect(clock.stamp(.init(wall: noon + 365 * 24 * hour, boot: 0)).rawTime == nil)
        var other = RecordClock(lastTime: noon, lastBoot: nil)
        #expect(
            other.stamp(.init(wall: noon + 730 * 24 * hour, boot: 0)) == .init(time: noon + 1, rawTime: noon + 730 * 24 * hour))
    }

    @Test func `clocks at the ends of their range are doubted or believed, and never stop it`() {
        let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, noon, .max - 1, .max]
        for last in extremes {
            for boot in extremes {
                var clock = RecordClock(lastTime: last, lastBoot: boot)
                var before = last
                for wall in extremes {
                    for now in extremes {
                        let time = clock.stamp(.init(wall: wall, boot: now)).time
                        #expect(time > before || time == .max)
                        before = time
                    }
                }
            }
        }
    }
}
