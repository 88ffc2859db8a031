import Chronicle

extension Flows.State {
    /// Returns the open flow of a kind; there is at most one.
    public func flow(of kind: String) -> Flow? { first { $0.kind.hasSameBytes(as: kind) } }

    /// Returns the open child of a flow.
    public func child(of id: UInt64) -> Flow? { id == 0 ? nil : first { $0.parent == id } }

    private func first(where isMeant: (Flow) -> Bool) -> Flow? {
        var found: Flow?
        items.forEach { _, flow in
            if isMeant(flow) { found = flow }
            return found == nil
        }
        return found
    }
}
