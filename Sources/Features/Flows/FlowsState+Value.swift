import PersistentCollections
public import Reducing

extension Flows.State: ValueConvertible {
    /// `{items, nextID}`.
    public var value: Value { ["items": items.elements.value, "nextID": .int(Int64(clamping: nextID))] }

    /// Reads `{items, nextID}`; what is left out has its initial value, and `nextID` that above all ids.
    public init(_ value: Value) throws(ValueMismatch) {
        self.init()
        var record = try RecordReader(value)
        let flows: [Flow] = try record.optional("items") ?? []
        let next = try record.optional("nextID", as: Int64.self)
        try record.end()
        for (index, flow) in flows.enumerated() {
            guard items.append(flow, id: flow.id) else { throw ValueMismatch("items[\(index)].id", "the id \(flow.id) is taken") }
            raiseNextID(above: flow.id)
        }
        guard let next else { return }
        guard next >= Int64(clamping: nextID) else {
            throw ValueMismatch("nextID", "a whole number above every id is expected, at least \(nextID)")
        }
        nextID = UInt64(next)
    }
}
