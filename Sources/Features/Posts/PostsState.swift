public import Chronicle

extension Posts.State {
    /// Reports a page that is out of range or a duplicate key.
    public var fault: ValueMismatch? {
        if !(0...Int64.exactMax).contains(nextPage) { return ValueMismatch("nextPage", "a whole number from 0 is expected") }
        if idsByKey.count < items.count { return ValueMismatch("items", "posts with different ids and keys are expected") }
        return nil
    }

    mutating func setNextPage(_ page: Int64) { nextPage = max(0, min(page, Int64.exactMax)) }

    var idsByKey: [[UInt8]: UInt64] {
        var ids: [[UInt8]: UInt64] = [:]
        ids.reserveCapacity(items.count)
        items.forEachByID { id, post in
            ids[post.keyBytes] = id
            return true
        }
        return ids
    }

    mutating func append(_ posts: [Post]) {
        var seen = Set(idsByKey.keys)
        for post in posts {
            raiseNextID(above: post.id)
            Self.append(post, to: &items, &seen)
        }
    }

    /// Replaces all posts; a post with a duplicate ID or key is dropped.
    mutating func replaceAll(with posts: [Post]) {
        var replaced = OrderedTable<Post>()
        var seen: Set<[UInt8]> = []
        for post in posts {
            raiseNextID(above: post.id)
            Self.append(post, to: &replaced, &seen)
        }
        // Identical posts keep sharing storage with the previous state.
        if replaced != items { items = replaced }
    }

    /// Applies a patch; a post whose key another post has is dropped.
    mutating func apply(_ patch: TablePatch<Post>) {
        for place in patch.placed { raiseNextID(above: place.element.id) }
        for id in patch.removed { items.remove(id) }
        var owners = idsByKey
        TablePatch(placed: patch.placed).apply(to: &items) { post, items in
            let key = post.keyBytes
            guard ElementID.range.contains(post.id), owners[key] ?? post.id == post.id else { return false }
            if let before = items[post.id] { owners[before.keyBytes] = nil }
            owners[key] = post.id
            return true
        }
    }

    private static func append(_ post: Post, to items: inout OrderedTable<Post>, _ seen: inout Set<[UInt8]>) {
        guard ElementID.range.contains(post.id) else { return }
        let key = post.keyBytes
        if !seen.contains(key), items.append(post, id: post.id) { seen.insert(key) }
    }
}

extension Post {
    /// The key in bytes, because Unicode-equivalent keys may belong to different posts.
    var keyBytes: [UInt8] { Array(key.utf8) }
}
