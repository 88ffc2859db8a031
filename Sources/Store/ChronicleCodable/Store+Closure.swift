public import Chronicle
import ChronicleLog
public import ChronicleStore
import DiskLog

extension Store {
    /// A store of any `Codable` value, changed by a closure; for programs too small for a schema.
    ///
    /// ```swift
    /// let store = try Store(0) { (count: inout Int, amount: Int) in count += amount }
    /// try await store.dispatch(5)
    /// print(store.value)
    /// ```
    ///
    /// The state and the actions are kept as JSON, which takes several times the time and the bytes of a schema. There are no
    /// snapshots, so each start applies every action again. Nothing names the parts of the state: it has one scope and no undo. A later
    /// version must still decode the actions of all earlier ones, and apply them with the same result.
    /// - Parameters:
    ///   - initial: the value before the first action.
    ///   - directory: where the log lies, which is created if necessary; `nil` keeps it in memory, until the program ends.
    ///   - change: applies an action, or refuses it by throwing. It is called twice for each action that is dispatched, once to decide and
    ///     once to apply, and again at each start. So it reads no clock, no random numbers and nothing else that can differ.
    /// - Throws: `ActionLogError` if the log can't be opened, `StoreError` if it can't be read.
    public init<Content: Codable & Sendable & Equatable, Input: Codable & Sendable & Equatable>(
        _ initial: Content, directory: String? = nil, _ change: @escaping @Sendable (inout Content, Input) throws(Refusal) -> Void
    ) throws where App == ClosureFeature<Content, Input> {
        let log: any ActionLog =
            if let directory { try LMDBActionLog.open(directory: directory) } else { InMemoryActionLog() }
        self.init(try RecoveryResult(from: log, initial: App.State(initial, change)), log: log, options: StoreOptions())
    }

    /// Applies an action and waits until it is committed: on disk, if the store has a directory.
    /// - Throws: `StoreError`; `.refused` with the refusal that the closure threw.
    public nonisolated func dispatch<Content, Input>(_ input: Input) async throws(StoreError)
    where App == ClosureFeature<Content, Input> { _ = try await dispatch(Dispatch([.init(input)])) }
}

extension Store where App: FeatureOfOneValue {
    /// The value after the last action that was committed.
    public nonisolated var value: App.Content { App.content(of: present.state) }
}
