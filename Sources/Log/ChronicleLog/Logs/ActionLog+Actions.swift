public import ChronicleValues

extension CanonicalCodable {
    /// Passes the records of a log in order, each with its action, to a closure until the last one or until it returns `false`.
    ///
    /// Not a method of the log: that would not be specialized for the action. Throws what every read throws, and `undecodable`
    /// for an action that this version can't decode.
    public static func read(
        _ log: any ActionLog, from first: UInt64, through last: UInt64, _ body: (HeaderFields, Self?) -> Bool
    ) throws(ActionLogError) {
        guard first <= last else { return }
        var undecodable: ActionLogError?
        _ = try log.fold(from: first, through: last) { record, payload in
            guard record.kind.holdsAction(payloadBytes: payload.byteCount) else { return body(record, nil) }
            let action: Self
            do throws(CanonicalError) { action = try Self(canonical: payload) } catch {
                undecodable = .undecodable(
                    sequence: record.sequence, what: "its action: \(error.sentence)")
                return false
            }
            return body(record, action)
        }
        if let undecodable { throw undecodable }
    }
}

extension ActionLog {
    /// The base of a compacted log with its state; `nil` for a log that has all records.
    ///
    /// Throws what every read throws, and `undecodable` for a state that this version can't decode.
    public func baseState<State: CanonicalCodable>(as type: State.Type) throws(ActionLogError) -> (base: Base, state: State)? {
        guard let row = try baseRow() else { return nil }
        do throws(CanonicalError) { return (row.base, try State(canonical: row.state)) } catch {
            throw .undecodable(sequence: row.base.sequence, what: "the base: \(error.sentence)")
        }
    }

    /// Reads one record as stored, with all checks but the link to the one before.
    public func sealed(_ sequence: UInt64) throws(ActionLogError) -> SealedRecord {
        var found: SealedRecord?
        _ = try sealed(from: sequence, through: sequence, recordsMax: 1, bytesMax: .max) {
            found = $0
            return false
        }
        guard let found else { throw .contradiction(what: "there is no record \(sequence)") }
        return found
    }
}
