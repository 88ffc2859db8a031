import Chronicle

extension Views.State {
    public func view(named name: String) -> SavedView? { view(named: name, except: 0) }

    func view(named name: String, except id: UInt64) -> SavedView? {
        var found: SavedView?
        items.forEach { _, view in
            if view.id != id, view.name.hasSameBytes(as: name) { found = view }
            return found == nil
        }
        return found
    }

    func count(of origin: UInt64) -> Int {
        var count = 0
        items.forEachByID { _, view in
            count += view.origin == origin ? 1 : 0
            return true
        }
        return count
    }
}
