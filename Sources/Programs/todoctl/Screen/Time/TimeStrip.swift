import Dates

/// The log as a strip of columns: which records each stands for, how dense they came, and where nothing happened for long.
///
/// A column stands for as much of the log as it has a share of the records and of the time, half and half, so that neither a burst nor a slow week
/// takes all of the strip. A long time in which nothing came takes few columns and says how long it was. Where nothing is known of times, each
/// column stands for equally many records.
struct TimeStrip: Equatable {
    /// A long time without a record.
    struct Gap: Equatable {
        var columns: Range<Int>
        /// Microseconds.
        var length: Int64
    }

    /// Columns of a gap, where there is room.
    private static let gapColumns = 3
    /// A gap takes at least such a part of all time, and is at least a minute long.
    private static let gapShare: Int64 = 32
    private static let gapMin: Int64 = 60_000_000
    /// One gap for so many columns at most.
    private static let columnsPerGap = 16

    let width: Int
    /// The first moment: after the record before the first one.
    let first: UInt64
    /// The last moment.
    let last: UInt64
    let gaps: [Gap]
    // The last record of each column, and when the column ends, where that is known.
    private let ends: [UInt64]
    private let times: [Int64]
    private let begin: Int64?

    /// - Parameters:
    ///   - activity: how many records came when; `nil`: nobody knows.
    ///   - last: the last record there is, which may have come since.
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
        let room = Double(self.width - long.count * Self.gapColumns)
        let quiet = long.reduce(0) { $0 + $1.count }
        let busy = Double(known.sequences.count - 1 - quiet)
        let records = Double(known.last - known.first)
        map.begin(known.first, known.from)
        var index = 0
        for gap in long + [known.sequences.count - 1..<known.sequences.count - 1] {
            for stretch in index..<gap.lowerBound {
                let count = known.sequences[stretch + 1] - known.sequences[stretch]
                let share = (Double(count) / records + 1 / busy) / 2
                map.go(share * room, to: known.sequences[stretch + 1], known.time(at: stretch + 1))
            }
            index = gap.upperBound
            guard !gap.isEmpty else { continue }
            // A gap has whole columns.
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

    /// The longest runs of stretches in which nothing came, in order.
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

    /// Equally many records for each column.
    private static func ends(_ first: UInt64, _ last: UInt64, _ width: Int) -> [UInt64] {
        (1...width).map { first + UInt64((Double(last - first) * Double($0) / Double(width)).rounded(.down)) }.dropLast() + [last]
    }

    /// The last record for which a column stands.
    func sequence(at column: Int) -> UInt64 { ends[min(max(column, 0), width - 1)] }

    /// The column that stands for a record, or for the moment before everything.
    func column(of sequence: UInt64) -> Int {
        var (low, high) = (0, width - 1)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The column in which a time is, in microseconds since 1970; `nil` where nothing is known of times, or it lies outside.
    func column(at time: Int64) -> Int? {
        guard let begin, let end = times.last, time >= begin, time <= end else { return nil }
        var (low, high) = (0, width - 1)
        while low < high {
            let middle = (low + high) / 2
            if times[middle] <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// From when to when it reaches, in microseconds since 1970.
    var span: ClosedRange<Int64>? {
        guard let begin, let end = times.last, end >= begin else { return nil }
        return begin...end
    }

    /// How many records a column stands for.
    func count(in column: Int) -> UInt64 { ends[column] - (column > 0 ? ends[column - 1] : first) }

    /// How dense records came in each column, from 0 (none) to 8; empty where nothing is known of times.
    ///
    /// In steps of a logarithm: else one import would make all else look like nothing.
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

/// Where in a strip which record and which time are: a line with corners.
private struct StripMap {
    private var corners: [(x: Double, sequence: UInt64, time: Int64)] = []
    // The last corner that was asked for: who asks goes on to the right.
    private var index = 0

    var width: Double { corners.last?.x ?? 0 }

    mutating func begin(_ sequence: UInt64, _ time: Int64) { corners = [(0, sequence, time)] }

    /// Goes on by some columns.
    mutating func go(_ columns: Double, to sequence: UInt64, _ time: Int64) { corners.append((width + columns, sequence, time)) }

    /// What is at a place; places are asked for from left to right.
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

    /// The logarithm to base 2, near enough for a picture.
    static func logarithm(_ number: Double) -> Double {
        guard number.isFinite, number > 0 else { return 0 }
        // Between two powers of 2 it is nearly a line.
        return Double(number.exponent) + (number.significand - 1)
    }
}

extension Int {
    /// The nearest number of a range.
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int { Swift.min(Swift.max(self, range.lowerBound), range.upperBound) }
}
