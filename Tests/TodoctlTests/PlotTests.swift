import Dates
import Terminal
import TestSupport
import Testing
import TodoAPI

@testable import todoctl

@Suite struct PlotTests {
    private func lines(_ values: [Int64?], columns: Int = 80) -> [String] {
        var plot = Plot()
        for (place, value) in values.enumerated() { plot.put(value, at: place) }
        return plot.lines(columns: columns, from: "a", to: "b")
    }

    @Test func `the highest number has the highest bar, and the lowest one a line`() {
        let lines = lines([0, 10, 5, nil, 10])
        #expect(lines.count == Plot.height + 1)
        #expect(lines[0] == "10 │ █  █")
        #expect(lines[7] == " 0 │▁██ █")
        #expect(lines[3] == "   │ █▁ █")
        #expect(lines[8] == "    a   b")
    }

    @Test(arguments: [1, 7, 60, 79, 80, 5_000, 100_000]) func `any number of values fits into the plot`(count: Int) {
        let lines = lines((0..<count).map { Int64($0) }, columns: 60)
        for line in lines { #expect(Width.columns(line) <= 60, "\(line)") }
        // The last value is never left out.
        #expect(lines[0].hasPrefix(Digits.grouped(count - 1) + " │"))
        #expect(lines[0].hasSuffix("█") || count == 1)
    }

    @Test func `a column without a value repeats the previous one`() {
        var plot = Plot()
        plot.put(1, at: 0)
        plot.put(3, at: 3)
        #expect(plot.lines(columns: 40, from: "a", to: "a")[7] == "1 │▁▁▁█")
        #expect(plot.lines(columns: 40, from: "a", to: "a")[8] == "   a")
    }

    @Test func `equal numbers, no numbers and the largest ones are drawn as well`() {
        #expect(lines([4, 4])[0].hasPrefix("4 │"))
        #expect(lines([4, 4])[7] == "  │██")
        #expect(lines([nil, nil]) == ["no numbers"])
        #expect(lines([.min, .max]).count == Plot.height + 1)
    }

    @Test func `in a locale without UTF-8 bars are ASCII`() {
        let text = lines([0, 3, 10]).joined(separator: "\n")
        let bytes = TextEncoding.ascii.bytes(text)
        #expect(bytes.allSatisfy { $0 < 0x80 } && bytes.contains(UInt8(ascii: "#")) && !bytes.contains(UInt8(ascii: "\\")))
    }

    @Test func `a time zone reports its changes of daylight saving time`() throws {
        let offsets = Zone.berlin.offsets(until: Zone.berlin.moment(at: 1_795_176_000))
        #expect(offsets.first?.from == 0)
        #expect(offsets.contains { $0.from == 1_774_746_000_000_000 && $0.seconds == 7_200 })
        #expect(offsets.contains { $0.from == 1_792_890_000_000_000 && $0.seconds == 3_600 })
        #expect(zip(offsets, offsets.dropFirst()).allSatisfy { $0.from < $1.from && $0.seconds != $1.seconds })
    }
}
