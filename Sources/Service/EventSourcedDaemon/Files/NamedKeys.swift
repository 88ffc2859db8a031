import Records

/// The keys that an export has named so far.
///
/// There may be as many as records, up to `ImportLimits.namedKeysMax`, so each is kept as a hash of 64 bits alone. Its seed is random, so nobody can make two that look alike.
struct NamedKeys {
    private var hashes: Set<Int> = []

    /// How many there are.
    var count: Int { hashes.count }

    /// Notes a key; gives whether it is new.
    mutating func insert(_ place: KeyPlace) -> Bool {
        var hasher = Hasher()
        hasher.combine(place.uid)
        hasher.combine(ExactText(place.key))
        return hashes.insert(hasher.finalize()).inserted
    }
}
