public import ChronicleLog
internal import LMDB

extension LMDBActionLog {
    public func keys(
        after place: KeyPlace?, rowsMax: Int, _ body: (KeyPlace, KeyRow) -> Void
    ) throws(ActionLogError) -> KeyPlace? {
        var start: [UInt8] = []
        if let place { try RowKey.append(place.key, of: place.uid, to: &start) }
        // The smallest larger key.
        start.append(0)
        var last: KeyPlace?
        var left = rowsMax
        guard rowsMax > 0 else { return nil }
        try environment.read { (transaction) throws(ActionLogError) in
            try transaction.eachRow(of: tables.keys, from: start) { (key, value) throws(ActionLogError) in
                guard let place = RowKey.keyPlace(key) else { throw .damaged(sequence: 0, what: "the key of a row of keys") }
                body(
                    place,
                    try Row.open(
                        value, key: key, as: KeyRow.self, sequence: 0, of: "the row of a key of uid \(place.uid)"))
                last = place
                left -= 1
                return left > 0
            }
        }
        return left > 0 ? nil : last
    }
}
