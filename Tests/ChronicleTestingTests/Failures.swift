import Synchronization
import Testing

/// The messages of the failures of a body, at least one.
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

/// The same for an async body.
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
