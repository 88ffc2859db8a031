import Synchronization

/// A flag shared by threads: a class, because the compiler can't build a store that contains its atomic value.
final class Flag: Sendable {
    let isSet = Atomic<Bool>(false)
}
