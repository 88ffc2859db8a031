import Glibc

/// A file descriptor with one owner, closed when it goes.
struct Descriptor: ~Copyable, Sendable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    /// Gives the number to another owner, who closes it.
    consuming func released() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit {
        close(number)
    }
}
