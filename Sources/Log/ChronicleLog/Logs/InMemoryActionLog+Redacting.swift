internal import Synchronization

extension InMemoryActionLog {
    public func redact(
        _ payloads: [(sequence: UInt64, payload: [UInt8])], at place: ReplicaPlace?,
        once isSettled: () throws(ActionLogError) -> Void
    ) throws(ActionLogError) {
        var values: [(sequence: UInt64, value: [UInt8])] = []
        for (sequence, payload) in payloads {
            values.append((sequence, RecordTrailer.redacting(try sealed(sequence), payload: payload)))
        }
        try isSettled()
        content.withLock { content in
            if let place { content.place = place }
            for (sequence, value) in values {
                guard let index = content.segments.lastIndex(where: { $0.first <= sequence }) else { continue }
                let range = content.segments[index].range(sequence)
                content.segments[index].bytes.replaceSubrange(range, with: value)
                content.redactions.append(sequence)
                let longer = value.count - range.count
                for place in Int(sequence - content.segments[index].first)..<content.segments[index].ends.count {
                    content.segments[index].ends[place] += longer
                }
            }
        }
    }
}
