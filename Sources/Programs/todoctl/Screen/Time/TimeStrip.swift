import Dates
import TodoAPI

/// The log as columns: the records of each, their density, and long gaps.
///
/// A column's share is half by records and half by time, so that neither a burst nor a slow week fills the strip. Gaps take few
/// columns and show their length. Without times, all columns have equally many records.
struct TimeStrip: Equatable {
    struct Gap: Equatable {
        var columns: Range<Int>
        var length: Int64
    }

    private static let gapColumns = 3
    /// The minimum length of a gap: a fraction of the total time, and one minute.
    private static let gapShare: Int64 = 32
    private static let gapMin: Int64 = 60_000_000
    private static let columnsPerGap = 16

    let width: Int
    /// The moment before the first record.
    let first: UInt64
    let last: UInt64
    let gaps: [Gap]
    private let ends: [UInt64]
    private let times: [Int64]
    private let begin: Int64?

    /// - Parameters:
    ///   - activity: the distribution of records, if known.
    ///   - last: the last record, possibly newer than the activity.
    init(_ activity: Activity?, last: UInt64, width: Int) {
        self.width = max(width, 1)
        let known = activity.flatMap { $0.to > $0.from && $0.last > $0.first && $0.sequences.count > 1 ? $0 : nil }
        first = min(activity?.first ?? 0, last)
        self.last = last
        begin = known?.from
        guard let known else {
            (gaps, times) = ([], [])
            ends = Self.ends(first, last, self.width)
            return
        }
        var map = StripMap()
        var gaps: [Gap] = []
        let long = Self.longGaps(known, most: self.width / Self.columnsPerGap)
        let space = Double(self.width - long.count * Self.gapColumns)
        let quiet = long.reduce(0) { $0 + $1.count }
        let busy = Double(known.sequences.count - 1 - quiet)
        let records = Double(known.last - known.first)
        map.begin(known.first, known.from)
        var index = 0
        for gap in long + [known.sequences.count - 1..<known.sequences.count - 1] {
            for stretch in index..<gap.lowerBound {
                let count = known.sequences[stretch + 1] - known.sequences[stretch]
                let share = (Double(count) / records + 1 / busy) / 2
                map.go(share * space, to: known.sequences[stretch + 1], known.time(at: stretch + 1))
            }
            index = gap.upperBound
            guard !gap.isEmpty else { continue }
            // A gap takes whole columns.
            let start = min(Int(map.width.rounded()), self.width - Self.gapColumns)
            gaps.append(
                Gap(
                    columns: start..<start + Self.gapColumns,
                    length: known.time(at: gap.upperBound) - known.time(at: gap.lowerBound))
            )
            map.go(Double(Self.gapColumns), to: known.sequences[gap.upperBound], known.time(at: gap.upperBound))
        }
        self.gaps = gaps
        var (ends, times): ([UInt64], [Int64]) = ([], [])
        for column in 1...self.width {
            let (sequence, time) = map.place(Double(column))
            ends.append(max(min(sequence, last), ends.last ?? first))
            times.append(time)
        }
        ends[self.width - 1] = last
        (self.ends, self.times) = (ends, times)
    }

    private static func longGaps(_ activity: Activity, most: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        for index in 0..<activity.sequences.count - 1 {
            guard activity.sequences[index + 1] > activity.sequences[index] else { continue }
            if index > start { runs.append(start..<index) }
            start = index + 1
        }
        let shortest = max((activity.to - activity.from) / gapShare, gapMin)
        let long = runs.filter { activity.time(at: $0.upperBound) - activity.time(at: $0.lowerBound) >= shortest }
        return long.sorted { $0.count > $1.count }.prefix(max(most, 0)).sorted { $0.lowerBound < $1.lowerBound }
    }

    private static func ends(_ first: UInt64, _ last: UInt64, _ width: Int) -> [UInt64] {
        (1...width).map { first + UInt64((Double(last - first) * Double($0) / Double(width)).rounded(.down)) }.dropLast() + [last]
    }

    func sequence(at column: Int) -> UInt64 { ends[min(max(column, 0), width - 1)] }

    func column(of sequence: UInt64) -> Int {
        var (low, high) = (0, width - 1)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func column(at time: Int64) -> Int? {
        guard let begin, let end = times.last, time >= begin, time <= end else { return nil }
        var (low, high) = (0, width - 1)
        while low < high {
            let middle = (low + high) / 2
            if times[middle] <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    var span: ClosedRange<Int64>? {
        guard let begin, let end = times.last, end >= begin else { return nil }
        return begin...end
    }

    func count(in column: Int) -> UInt64 { ends[column] - (column > 0 ? ends[column - 1] : first) }

    /// The density of each column from 0 (none) to 8, on a logarithmic scale; empty if times are unknown.
    var densities: [Int] {
        guard let begin else { return [] }
        let rates = (0..<width).map { column in
            let length = times[column] - (column > 0 ? times[column - 1] : begin)
            return Double(count(in: column)) / Double(max(length, 1)) * 1_000_000
        }
        let lowest = rates.filter { $0 > 0 }.min() ?? 1
        let most = StripMap.logarithm(1 + (rates.max() ?? 0) / lowest)
        return rates.map { rate in
            rate > 0 ? 1 + Int((7 * StripMap.logarithm(1 + rate / lowest) / most).rounded(.down)).clamped(to: 0...7) : 0
        }
    }
}

private struct StripMap {
    private var corners: [(x: Double, sequence: UInt64, time: Int64)] = []
    // The last segment used; lookups ascend.
    private var index = 0

    var width: Double { corners.last?.x ?? 0 }

    mutating func begin(_ sequence: UInt64, _ time: Int64) { corners = [(0, sequence, time)] }

    mutating func go(_ columns: Double, to sequence: UInt64, _ time: Int64) { corners.append((width + columns, sequence, time)) }

    /// The record and time at a column; columns must ascend.
    mutating func place(_ x: Double) -> (UInt64, Int64) {
        while index + 1 < corners.count, corners[index + 1].x < x { index += 1 }
        guard index + 1 < corners.count else { return (corners[index].sequence, corners[index].time) }
        let (left, right) = (corners[index], corners[index + 1])
        let share = right.x > left.x ? min(max((x - left.x) / (right.x - left.x), 0), 1) : 1
        return (
            left.sequence + UInt64(Double(right.sequence - left.sequence) * share),
            left.time + Int64(Double(right.time - left.time) * share)
        )
    }

    /// An approximate base-2 logarithm.
    static func logarithm(_ number: Double) -> Double {
        guard number.isFinite, number > 0 else { return 0 }
        // Linear between powers of 2.
        return Double(number.exponent) + (number.significand - 1)
    }
}

extension Int {
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int { Swift.min(Swift.max(self, range.lowerBound), range.upperBound) }
}

/// Numbers of records in equal time intervals, as `org.todod.History.Scan` returns them.
struct Activity: Equatable {
    var from: Int64
    /// End of the last interval, in microseconds since 1970.
    var to: Int64
    /// The record before the first interval, then the last record of each interval.
    var sequences: [UInt64]

    var first: UInt64 { sequences.first ?? 0 }
    var last: UInt64 { sequences.last ?? 0 }

    func time(at index: Int) -> Int64 {
        let count = Int64(max(sequences.count - 1, 1))
        // Avoids an overflow of the product for extreme times.
        let (whole, rest) = (to - from).quotientAndRemainder(dividingBy: count)
        return from + whole * Int64(index) + rest * Int64(index) / count
    }
}

extension Activity {
    /// Requests the finest resolution, enough for any width.
    static let call = ScreenCall(
        ScanMethod.self, .init(question: .activity, buckets: ScanMethod.bucketsMax), over: .questions)

    init?(_ answer: ScanMethod.Output) {
        guard let from = answer.begin, let to = answer.end, let sequences = answer.sequences else { return nil }
        let (length, isTooLong) = to.subtractingReportingOverflow(from)
        guard sequences.count > 1, !isTooLong, length >= 0, zip(sequences, sequences.dropFirst()).allSatisfy({ $0 <= $1 })
        else { return nil }
        self.init(from: from, to: to, sequences: sequences)
    }
}
