/// The key of a place in the index: a scope, an element of a list, or any elements of a list.
///
/// It consists of numbers only, so two places never share a key, and it contains no redacted text.
public struct PlaceKey: Sendable, Hashable, Comparable {
    static let idBits: UInt64 = 54
    static let idMax: UInt64 = 1 << idBits - 1

    var number: UInt64

    public init(scope: Int) { number = UInt64(scope) << Self.idBits }

    /// The key of an element of the list in a scope; `nil` for an invalid id.
    public init?(scope: Int, element id: UInt64) {
        guard (1..<Self.idMax).contains(id) else { return nil }
        number = UInt64(scope) << Self.idBits | id
    }

    /// The key of records that changed too many elements of a list to name them.
    public init(anyElementOf scope: Int) { number = UInt64(scope) << Self.idBits | Self.idMax }

    init(number: UInt64) { self.number = number }

    /// Whether it is the key of one element, whose changed parts are listed as well.
    var isElement: Bool { (1..<Self.idMax).contains(number & Self.idMax) }

    public static func < (left: PlaceKey, right: PlaceKey) -> Bool { left.number < right.number }
}

/// A record that changed a place, or may have.
public struct PlaceHit: Sendable, Equatable {
    public var sequence: UInt64
    /// The changed parts of an element as a bit set, numbered by the caller; 0 for other keys.
    public var parts: UInt64 = 0
}

public struct PlaceSummary: Sendable, Equatable {
    /// The first record of the run's range, indexed or not.
    public var first: UInt64
    /// The first indexed record.
    public var from: UInt64
    /// The last indexed record; `from - 1` if there is none.
    public var last: UInt64
    /// The checksum of the last record; a log with a different one can't use the run.
    public var checksum: UInt64 = 0
    /// Identifies the code that folded.
    public var fingerprint = ""
    /// Number of redactions of the log when the fold began.
    public var redactions: UInt64 = 0
}

/// An inverted index of a run of records: changed place -> records, so that a query for one place folds no other records.
///
/// A cache, written next to the log in the background.
public struct PathIndexRun: Sendable, Equatable {
    /// Maximum number of records in a run; each run begins after a multiple of it.
    public static let recordsMax: UInt64 = 65_536
    /// Maximum number of elements indexed by id, per record of the run; a record that exceeds it is indexed under `anyElementOf`.
    public static let touchesPerRecordMax = 4

    struct Touch: Sendable, Equatable {
        var key: PlaceKey
        var parts: UInt64
        /// The record, relative to the first of the run.
        var offset: UInt16
    }

    /// Consecutive records.
    struct Stretch: Sendable, Equatable {
        var offset: UInt16
        var count: UInt32
    }

    public var summary: PlaceSummary
    var stretches: [PlaceKey: [Stretch]] = [:]
    var touches: [Touch] = []

    public init(first: UInt64, from: UInt64, redactions: UInt64) {
        summary = PlaceSummary(first: first, from: from, last: from - 1, redactions: redactions)
    }

    public var touchCount: Int { touches.count }

    /// Continues with the next record, to which later notes refer.
    public mutating func next() { summary.last += 1 }

    private var offset: UInt16 { UInt16(truncatingIfNeeded: summary.last - summary.first) }

    /// Notes that the record changed a scope, or too many elements of a list.
    public mutating func note(_ key: PlaceKey) { stretches[key, default: []].add(offset) }

    /// Notes that the record changed parts of an element; once for each element.
    public mutating func note(_ key: PlaceKey, parts: UInt64) {
        touches.append(Touch(key: key, parts: parts, offset: offset))
    }

    /// The records listed under some keys, in ascending order.
    public func hits(_ keys: [PlaceKey]) -> [PlaceHit] {
        var hits: [PlaceHit] = []
        for key in keys {
            if key.isElement {
                for touch in touches where touch.key == key {
                    hits.append(PlaceHit(sequence: summary.first + UInt64(touch.offset), parts: touch.parts))
                }
            } else {
                for stretch in stretches[key] ?? [] { hits.append(stretch, behind: summary.first) }
            }
        }
        return keys.count < 2 ? hits : hits.sorted { $0.sequence < $1.sequence }
    }
}

extension [PathIndexRun.Stretch] {
    fileprivate mutating func add(_ offset: UInt16) {
        guard let last, case let end = UInt32(last.offset) + last.count, end >= UInt32(offset) else {
            return append(PathIndexRun.Stretch(offset: offset, count: 1))
        }
        if end == UInt32(offset) { self[count - 1].count += 1 }
    }
}

extension [PlaceHit] {
    mutating func append(_ stretch: PathIndexRun.Stretch, behind first: UInt64) {
        for offset in UInt64(stretch.offset)..<UInt64(stretch.offset) + UInt64(stretch.count) {
            append(PlaceHit(sequence: first + offset))
        }
    }
}

/// Stores runs, each under its first record.
public protocol PlaceSeries: Sendable {
    var recordsMax: UInt64 { get }

    /// The first records of all runs, in ascending order.
    func firsts() -> [UInt64]

    /// The summary of a run; `nil` unless it is intact.
    func summary(_ first: UInt64) -> PlaceSummary?

    /// The summary and the records listed under some keys, in ascending order; reads only their pages.
    func hits(_ keys: [PlaceKey], in first: UInt64) -> (summary: PlaceSummary, hits: [PlaceHit])?

    /// The whole run; `nil` unless it is intact.
    func read(_ first: UInt64) -> PathIndexRun?

    /// Writes a run atomically, replacing one with the same first record.
    func write(_ run: PathIndexRun) throws(ActionLogError)

    func remove(_ first: UInt64)
}

extension PlaceSeries {
    /// The first record of the run that contains a record.
    public func first(for sequence: UInt64) -> UInt64 { (sequence - 1) / recordsMax * recordsMax + 1 }

    public var touchesMax: Int { Int(recordsMax) * PathIndexRun.touchesPerRecordMax }
}
