import ChronicleValues
import Testing

@Suite struct UTCDayTests {
    @Test(arguments: [(0, 0), (-1, -1), (1, 0), (.max, 106_751_991), (.min, -106_751_992)] as [(Int64, Int64)])
    func `an instant belongs to the day that began last`(time: Int64, day: Int64) {
        #expect(UTCDay.number(of: time) == day)
    }

    @Test(arguments: [-3, -1, 0, 1, 20_777] as [Int64])
    func `a day ends a microsecond before the next`(day: Int64) {
        let begin = day * UTCDay.microseconds
        #expect(UTCDay.number(of: begin) == day && UTCDay.number(of: begin - 1) == day - 1)
        #expect(UTCDay.number(of: begin + UTCDay.microseconds - 1) == day)
    }
}
