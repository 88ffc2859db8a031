import ChronicleLog

/// The keys that an export has named so far.
///
/// Stored as 64-bit hashes, because there may be up to `ImportLimits.namedKeysMax`. The seed is random, so collisions can't be
/// constructed.
struct NamedKeys {
    private var hashes: Set<Int> = []

    var count: Int { hashes.count }

    mutating func insert(_ place: KeyPlace) -> Bool {
        var hasher = Hasher()
        hasher.combine(place.uid)
        hasher.combine(ExactText(place.key))
        return hashes.insert(hasher.finalize()).inserted
    }
}
