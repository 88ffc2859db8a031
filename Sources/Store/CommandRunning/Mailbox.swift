import Synchronization

/// A queue from any thread to the runner, its only reader.
final class Mailbox<Letter: Sendable>: Sendable {
    private struct Content {
        var letters: [Letter] = []
        var reader: CheckedContinuation<[Letter], Never>?
    }

    private let content = Mutex(Content())

    func post(_ letter: Letter) {
        let reader = content.withLock { content -> CheckedContinuation<[Letter], Never>? in
            guard let reader = content.reader else {
                content.letters.append(letter)
                return nil
            }
            content.reader = nil
            return reader
        }
        reader?.resume(returning: [letter])
    }

    /// Waits for events and returns all, in order; also waits in a cancelled task, because its last events are still to come.
    func next() async -> [Letter] {
        await withCheckedContinuation { continuation in
            let letters = content.withLock { content -> [Letter]? in
                guard content.letters.isEmpty else {
                    defer { content.letters = [] }
                    return content.letters
                }
                content.reader = continuation
                return nil
            }
            if let letters { continuation.resume(returning: letters) }
        }
    }
}
