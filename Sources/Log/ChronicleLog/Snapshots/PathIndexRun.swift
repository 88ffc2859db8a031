/// What the records are listed under that changed a place: a scope, an element of a list, or any elements of a list.
///
/// It is made of numbers alone, so two places never share one, and nothing that was redacted stands in it.
public struct PlaceKey: Sendable, Hashable, Comparable {
    static let idBits: UInt64 = 54
    static let idMax: UInt64 = 1 << idBits - 1

    var number: UInt64

    /// The key of a scope, by its index.
    public init(scope: Int) { number = UInt64(scope) << Self.idBits }

    /// The key of an element of the list that a scope is; `nil` for an id that none can have.
    public init?(scope: Int, element id: UInt64) {
        guard (1..<Self.idMax).contains(id) else { return nil }
        number = UInt64(scope) << Self.idBits | id
    }

    /// The key of records that changed too many elements of a list to name them.
    public init(anyElementOf scope: Int) { number = UInt64(scope) << Self.idBits | Self.idMax }

    init(number: UInt64) { self.number = number }

    /// Whether it is that of one element, so that the parts of it are listed, too.
    var isElement: Bool { (1..<Self.idMax).contains(number & Self.idMax) }

    /// By scope, and then by id.
    public static func < (left: PlaceKey, right: PlaceKey) -> Bool { left.number < right.number }
}

/// A record that changed a place, or may have.
public struct PlaceHit: Sendable, Equatable {
    public var sequence: UInt64
    /// Which parts of an element it changed, bit by bit as whoever noted them numbers them; 0 for what is not one element.
    public var parts: UInt64 = 0
}

/// What is said of a run of places before all else.
public struct PlaceSummary: Sendable, Equatable {
    /// The record with which the run begins, whether it is noted or not.
    public var first: UInt64
    /// The first record whose places are noted.
    public var from: UInt64
    /// The last one; the one before `from` of a run in which none is.
    public var last: UInt64
    /// The checksum of the last record: a log with another one there is not that of the run.
    public var checksum: UInt64 = 0
    /// Names the code that folded.
    public var fingerprint = ""
    /// How many redactions the log had when the fold began.
    public var redactions: UInt64 = 0
}

/// Which places a run of records changed, so that who asks for the records that touched one folds none of them.
///
/// A cache, written beside the log in the background by the running code.
public struct PathIndexRun: Sendable, Equatable {
    /// Records in one run at most, which begins behind a multiple of it.
    public static let recordsMax: UInt64 = 65_536
    /// Elements that are noted by their ids in a run, for each of its records; of a record that changes more than are left it is noted that
    /// it changed some.
    public static let touchesPerRecordMax = 4

    /// An element that a record changed, and which parts of it.
    struct Touch: Sendable, Equatable {
        var key: PlaceKey
        var parts: UInt64
        /// How many records behind the first of the run.
        var offset: UInt16
    }

    /// Records that follow each other.
    struct Stretch: Sendable, Equatable {
        var offset: UInt16
        var count: UInt32
    }

    /// What is said of the run as a whole.
    public var summary: PlaceSummary
    var stretches: [PlaceKey: [Stretch]] = [:]
    var touches: [Touch] = []

    /// Begins a run in which nothing is noted before a record.
    public init(first: UInt64, from: UInt64, redactions: UInt64) {
        summary = PlaceSummary(first: first, from: from, last: from - 1, redactions: redactions)
    }

    /// How many elements are noted by their ids.
    public var touchCount: Int { touches.count }

    /// Goes on to the next record, of which all that is noted from now on is told.
    public mutating func next() { summary.last += 1 }

    private var offset: UInt16 { UInt16(truncatingIfNeeded: summary.last - summary.first) }

    /// Notes that the record changed a scope, or elements of a list that are too many to name.
    public mutating func note(_ key: PlaceKey) { stretches[key, default: []].add(offset) }

    /// Notes that the record changed parts of an element; once for each element.
    public mutating func note(_ key: PlaceKey, parts: UInt64) {
        touches.append(Touch(key: key, parts: parts, offset: offset))
    }

    /// The records that are listed under some keys, in ascending order.
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
    /// Adds the last record, unless it is the one that was added last.
    fileprivate mutating func add(_ offset: UInt16) {
        guard let last, case let end = UInt32(last.offset) + last.count, end >= UInt32(offset) else {
            return append(PathIndexRun.Stretch(offset: offset, count: 1))
        }
        if end == UInt32(offset) { self[count - 1].count += 1 }
    }
}

extension [PlaceHit] {
    /// Adds the records of a stretch.
    mutating func append(_ stretch: PathIndexRun.Stretch, behind first: UInt64) {
        for offset in UInt64(stretch.offset)..<UInt64(stretch.offset) + UInt64(stretch.count) {
            append(PlaceHit(sequence: first + offset))
        }
    }
}

/// Keeps runs of places, each under its first record.
public protocol PlaceSeries: Sendable {
    /// Records in one run.
    var recordsMax: UInt64 { get }

    /// The first records of all runs, the smallest first.
    func firsts() -> [UInt64]

    /// What the run that begins with a record says of itself; `nil` unless that is exactly what was written.
    func summary(_ first: UInt64) -> PlaceSummary?

    /// The same, with the records listed under some keys, in ascending order; of the rest of the run nothing is read.
    func hits(_ keys: [PlaceKey], in first: UInt64) -> (summary: PlaceSummary, hits: [PlaceHit])?

    /// The whole run, to go on with it; `nil` unless it is exactly what was written.
    func read(_ first: UInt64) -> PathIndexRun?

    /// Keeps a run, whole or not at all, in the place of another of its first record.
    func write(_ run: PathIndexRun) throws(ActionLogError)

    /// Removes the run that begins with a record.
    func remove(_ first: UInt64)
}

extension PlaceSeries {
    /// The first record of the run that a record is in.
    public func first(for sequence: UInt64) -> UInt64 { (sequence - 1) / recordsMax * recordsMax + 1 }

    /// Elements that are noted by their ids in one run.
    public var touchesMax: Int { Int(recordsMax) * PathIndexRun.touchesPerRecordMax }
}
