internal import Synchronization

extension InMemoryActionLog {
    /// Puts another payload in the place of a record's own.
    public func redact(_ sequence: UInt64, payload: [UInt8]) throws(ActionLogError) {
        let value = RecordTrailer.redacting(try sealed(sequence), payload: payload)
        content.withLock { content in
            guard let index = content.segments.lastIndex(where: { $0.first <= sequence }) else { return }
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
