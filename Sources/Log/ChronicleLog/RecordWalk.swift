/// One pass over records in order: checks, position and limits; it holds one value at a time.
package struct RecordWalk {
    /// Limits in records and bytes after which a read transaction is replaced by a new one.
    static let viewRecordsMax = 256
    static let viewBytesMax = 1 << 20

    package private(set) var next: UInt64
    /// The checksum of the record before; `nil` until it is known.
    package var previous: UInt64?
    package private(set) var error: ActionLogError?
    /// Whether the last record was passed, the reader stopped, or the walk failed.
    package private(set) var isDone: Bool
    private let last: UInt64
    private var recordsLeft: Int
    private var bytesLeft: Int
    private var viewRecords = 0
    private var viewBytes = 0

    package init(from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int) {
        next = max(first, 1)
        self.last = last
        recordsLeft = recordsMax
        bytesLeft = bytesMax
        isDone = next > last || recordsMax <= 0
        if next == 1 { previous = 0 }
    }

    /// Begins in a compacted log; records up to the base can't be read.
    package mutating func begin(behind base: Base) throws(ActionLogError) {
        guard !isDone else { return }
        guard next > base.sequence else { throw .pruned(through: base.sequence, archive: base.archive) }
        if next == base.sequence + 1 { previous = base.checksum }
    }

    package mutating func beginView() {
        viewRecords = 0
        viewBytes = 0
    }

    package mutating func fail(_ error: ActionLogError) {
        self.error = error
        isDone = true
    }

    /// Ends the read transaction; fails if records are missing.
    package mutating func endView() {
        guard !isDone, viewRecords < Self.viewRecordsMax, viewBytes < Self.viewBytesMax else { return }
        fail(.damaged(sequence: next, what: "the record is missing"))
    }

    /// Checks a value and passes it on; returns whether to continue in this read transaction.
    package mutating func take(
        _ sequence: UInt64, _ value: RawSpan, _ body: (RecordCheck, UInt64) throws(ActionLogError) -> Bool
    ) -> Bool {
        guard sequence == next else {
            fail(.damaged(sequence: next, what: "the record is missing"))
            return false
        }
        do throws(ActionLogError) {
            let check = try RecordCheck(value, sequence: sequence)
            guard check.previous == previous else {
                throw .damaged(sequence: sequence, what: "the link to the record before")
            }
            let goesOn = try body(check, sequence)
            previous = check.checksum
            next += 1
            return count(value.byteCount, goesOn)
        } catch {
            fail(error)
            return false
        }
    }

    private mutating func count(_ bytes: Int, _ goesOn: Bool) -> Bool {
        recordsLeft -= 1
        bytesLeft -= bytes
        viewRecords += 1
        viewBytes += bytes
        isDone = !goesOn || next > last || recordsLeft <= 0 || bytesLeft <= 0
        return !isDone && viewRecords < Self.viewRecordsMax && viewBytes < Self.viewBytesMax
    }
}
