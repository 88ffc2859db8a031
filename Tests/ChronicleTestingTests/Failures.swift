import Synchronization
import Testing

/// The messages of the failures in a piece of a test; at least one is expected.
func failures(
    _ location: SourceLocation = #_sourceLocation, in piece: () -> Void
) -> [String] {
    let seen = Mutex<[String]>([])
    withKnownIssue(sourceLocation: location) {
        piece()
    } matching: { issue in
        seen.withLock { $0.append(issue.comments.map(\.rawValue).joined(separator: "\n")) }
        return true
    }
    return seen.withLock { $0 }
}

/// The same for a piece that suspends.
func failures(
    _ location: SourceLocation = #_sourceLocation, in piece: () async -> Void
) async -> [String] {
    let seen = Mutex<[String]>([])
    await withKnownIssue(sourceLocation: location) {
        await piece()
    } matching: { issue in
        seen.withLock { $0.append(issue.comments.map(\.rawValue).joined(separator: "\n")) }
        return true
    }
    return seen.withLock { $0 }
}
