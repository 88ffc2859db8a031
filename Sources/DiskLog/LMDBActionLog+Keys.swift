public import ActionLogs
internal import LMDB

extension LMDBActionLog {
    /// The rows of keys behind a place.
    public func keys(
        after place: KeyPlace?, rowsMax: Int, _ body: (KeyPlace, KeyRow) -> Void
    ) throws(ActionLogError) -> KeyPlace? {
        var start: [UInt8] = []
        if let place { try RowKey.append(place.key, of: place.uid, to: &start) }
        // The first key that is larger is the same with a byte behind it.
        start.append(0)
        var last: KeyPlace?
        var left = rowsMax
        var failure: ActionLogError?
        func take(_ key: RawSpan, _ value: RawSpan) -> Bool {
            do throws(ActionLogError) {
                guard let place = RowKey.keyPlace(key) else { throw .damaged(sequence: 0, what: "the key of a row of keys") }
                let row = try Row.open(
                    value, key: key, as: KeyRow.self, sequence: 0, of: "the row of a key of uid \(place.uid)")
                body(place, row)
                last = place
                left -= 1
                return left > 0
            } catch {
                failure = error
                return false
            }
        }
        do {
            try environment.read { (transaction) throws(LMDBError) in
                try transaction.withCursor(tables.keys) { (cursor) throws(LMDBError) in
                    var goesOn = rowsMax > 0 ? try cursor.seek(start.span.bytes, take) ?? false : false
                    while goesOn { goesOn = try cursor.next(take) ?? false }
                }
            }
        } catch {
            throw ActionLogError(reading: error, sequence: 0)
        }
        if let failure { throw failure }
        return left > 0 ? nil : last
    }
}
