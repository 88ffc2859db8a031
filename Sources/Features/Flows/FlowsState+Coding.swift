public import ActionCoding
import PersistentCollections

extension Flows.State: CanonicalCodable {
    /// Fields: 1 items (a list of flows in their order), 2 the highest id that was handed out.
    public func encode(into writer: inout CanonicalWriter) {
        items.forEach { _, flow in
            writer.message(1, flow)
            return true
        }
        writer.field(2, nextID - 1)
    }

    /// Reads what `encode` wrote; ids that are twice there or above the highest are errors.
    public init(from bytes: RawSpan, _ cursor: inout CanonicalCursor) throws(CanonicalError) {
        self.init()
        var highest: UInt64 = 0
        while let number = try cursor.nextField(in: bytes) {
            switch number {
            case 1:
                let flow: Flow = try cursor.message(bytes)
                guard items.append(flow, id: flow.id) else { throw CanonicalError(.notCanonical, at: cursor.offset) }
                highest = max(highest, flow.id)
            case 2: nextID = try cursor.flowID(bytes) + 1
            default: throw cursor.unknown()
            }
        }
        guard highest < nextID else { throw CanonicalError(.notCanonical, at: cursor.offset) }
    }
}
