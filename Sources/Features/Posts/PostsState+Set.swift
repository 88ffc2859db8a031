import Fields

extension Posts.State {
    /// The ids by the bytes of the keys.
    var idsByKey: [[UInt8]: UInt64] {
        var ids: [[UInt8]: UInt64] = [:]
        ids.reserveCapacity(items.count)
        items.forEachByID { id, post in
            ids[post.keyBytes] = id
            return true
        }
        return ids
    }

    /// Puts posts behind all others, each whose id and key are new.
    mutating func append(_ posts: [Post]) {
        var seen = Set(idsByKey.keys)
        for post in posts { Self.append(post, to: &items, &nextID, &seen) }
    }

    /// Makes these posts, each whose id and key are new among them, all there are.
    mutating func replaceAll(with posts: [Post]) {
        var replaced = OrderedTable<Post>()
        var seen: Set<[UInt8]> = []
        for post in posts { Self.append(post, to: &replaced, &nextID, &seen) }
        // The same posts again shall share everything with those before.
        if replaced != items { items = replaced }
    }

    /// Patches the posts; one whose key another post has stays out.
    mutating func apply(_ patch: TablePatch<Post>) {
        for place in patch.placed where Posts.Limits.ids.contains(place.element.id) { nextID = max(nextID, place.element.id + 1) }
        for id in patch.removed { items.remove(id) }
        var owners = idsByKey
        TablePatch(placed: patch.placed).apply(to: &items) { post, items in
            let key = post.keyBytes
            guard Posts.Limits.ids.contains(post.id), owners[key] ?? post.id == post.id else { return false }
            if let before = items[post.id] { owners[before.keyBytes] = nil }
            owners[key] = post.id
            return true
        }
    }

    private static func append(
        _ post: Post, to items: inout OrderedTable<Post>, _ nextID: inout UInt64, _ seen: inout Set<[UInt8]>
    ) {
        guard Posts.Limits.ids.contains(post.id) else { return }
        nextID = max(nextID, post.id + 1)
        let key = post.keyBytes
        if !seen.contains(key), items.append(post, id: post.id) { seen.insert(key) }
    }
}

extension Post {
    /// The key as it is compared: what Unicode calls equal may be two posts.
    var keyBytes: [UInt8] { Array(key.utf8) }
}
