import Synchronization

/// A flag that threads share: an object, because the compiler can't build a store that holds what it wraps.
final class Flag: Sendable {
    let isSet = Atomic<Bool>(false)
}
