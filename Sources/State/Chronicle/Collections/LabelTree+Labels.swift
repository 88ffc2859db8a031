extension LabelTree {
    /// Returns a label for a new entry at an index; nil if there is no gap between its neighbours' labels.
    @usableFromInline func label(at index: Int) -> UInt64? {
        guard count > 0 else { return 1 << 63 }
        if index == 0 {
            let next = root.firstLabel
            if next > Self.stride { return next - Self.stride }
            return next > 0 ? next / 2 : nil
        }
        let before = entry(at: index - 1).label
        let next = index < count ? entry(at: index).label : before + min(UInt64.max - before, 2 * Self.stride)
        return next - before > 1 ? before + (next - before) / 2 : nil
    }

    /// Relabels entries to make a gap for a new entry at an index; returns its label and the relabelled entries.
    ///
    /// Follows Dietz and Sleator, "Two algorithms for maintaining order in a list" (1987): starting at the previous entry, the first range
    /// that is sparse enough is spread evenly. The amortized number of relabelled entries per insertion is logarithmic. If there is no such
    /// range or no previous entry, all entries are spread over the whole label space.
    @usableFromInline mutating func makeRoom(at index: Int) -> (label: UInt64, moved: [Entry]) {
        if index > 0, let room = makeRoomNearby(at: index) { return room }
        let step = min(Self.stride, UInt64.max / UInt64(count + 2))
        let first = (1 << 63) - step * UInt64(count / 2 + 1)
        return spread(from: 0, count, first: first, step: step, sparing: index)
    }

    private mutating func makeRoomNearby(at index: Int) -> (label: UInt64, moved: [Entry])? {
        let base = entry(at: index - 1).label
        var entries: UInt64 = 0
        var width: UInt64 = 0
        let isRoomy = !forEach(from: index) { entry in
            entries += 1
            width = entry.label - base
            return width >> 10 <= entries * entries
        }
        guard isRoomy else { return nil }
        let step = width / (entries + 1)
        return spread(from: index, Int(entries) - 1, first: base + step, step: step, sparing: index)
    }

    private mutating func spread(
        from start: Int, _ length: Int, first: UInt64, step: UInt64, sparing index: Int
    ) -> (label: UInt64, moved: [Entry]) {
        var moved: [Entry] = []
        moved.reserveCapacity(length)
        var label = first
        let spared = first + step * UInt64(index - start)
        if length > 0 {
            forEach(from: start) { entry in
                if label == spared { label += step }
                moved.append(Entry(label: label, id: entry.id))
                label += step
                return moved.count < length
            }
        }
        relabel(from: start, moved.map(\.label))
        return (spared, moved)
    }
}
