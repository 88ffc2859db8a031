internal import ChronicleValues
internal import Synchronization

extension InMemoryActionLog {
    public func read(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (RecordHeader, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try run(first, last, recordsMax, bytesMax) { (value, check, sequence) throws(ActionLogError) in
            body(try check.fullHeader(value, sequence: sequence), value.extracting(check.payload))
        }
    }

    public func fold(
        from first: UInt64, through last: UInt64, _ body: (HeaderFields, RawSpan) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try run(first, last, .max, .max) { (value, check, sequence) throws(ActionLogError) in
            body(try check.fields(value, sequence: sequence), value.extracting(check.payload))
        }
    }

    public func sealed(
        from first: UInt64, through last: UInt64, recordsMax: Int, bytesMax: Int, _ body: (SealedRecord) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        try run(first, last, recordsMax, bytesMax) { (value, _, sequence) throws(ActionLogError) in
            body(try SealedRecord([UInt8](value), sequence: sequence))
        }
    }

    private func run(
        _ first: UInt64, _ last: UInt64, _ recordsMax: Int, _ bytesMax: Int,
        _ body: (RawSpan, RecordCheck, UInt64) throws(ActionLogError) -> Bool
    ) throws(ActionLogError) -> UInt64 {
        // A copy that shares storage, because the closure may call the log.
        let (head, base, segments) = content.withLock { ($0.head, $0.base?.base, $0.segments) }
        var walk = RecordWalk(from: first, through: min(last, head.sequence), recordsMax: recordsMax, bytesMax: bytesMax)
        if let base { try walk.begin(behind: base) }
        if walk.isDone { return walk.next }
        if walk.previous == nil { walk.previous = try Self.checked(walk.next - 1, segments).checksum }
        while !walk.isDone {
            let segment = segments[Self.index(of: walk.next, in: segments)]
            let value = segment.bytes.span.bytes.extracting(segment.range(walk.next))
            _ = walk.take(walk.next, value) { (check, sequence) throws(ActionLogError) in try body(value, check, sequence) }
        }
        if let error = walk.error { throw error }
        return walk.next
    }

    public func sequence(atOrBefore time: Int64, in range: ClosedRange<UInt64>) throws(ActionLogError) -> UInt64 {
        let (head, begin, segments) = content.withLock { ($0.head, ($0.base?.base.sequence ?? 0) + 1, $0.segments) }
        let (first, last) = (max(range.lowerBound, begin), min(range.upperBound, head.sequence))
        return try firstSequence(first, through: last) { (sequence) throws(ActionLogError) in
            try Self.checked(sequence, segments).fields.time > time
        } - 1
    }

    public func checksum(of sequence: UInt64) throws(ActionLogError) -> UInt64? {
        guard sequence > 0 else { return 0 }
        let (head, base, segments) = content.withLock { ($0.head, $0.base?.base, $0.segments) }
        if let base, sequence <= base.sequence { return sequence == base.sequence ? base.checksum : nil }
        return sequence > head.sequence ? nil : try Self.checked(sequence, segments).checksum
    }

    private static func index(of sequence: UInt64, in segments: [Segment]) -> Int {
        var low = 0
        var high = segments.count
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].first > sequence { high = middle } else { low = middle + 1 }
        }
        return low - 1
    }

    private static func checked(
        _ sequence: UInt64, _ segments: [Segment]
    ) throws(ActionLogError) -> (checksum: UInt64, fields: HeaderFields) {
        let segment = segments[index(of: sequence, in: segments)]
        let value = segment.bytes.span.bytes.extracting(segment.range(sequence))
        let check = try RecordCheck(value, sequence: sequence)
        return (check.checksum, try check.fields(value, sequence: sequence))
    }
}
