public import Reducing
public import Values

/// A child feature's view of a store: its slice of the state, its actions, and nothing of what happens beside it.
///
/// Commands are the root's, because only the root knows how its children's commands stand among its own.
public struct ScopedStore<Root: Feature, Child: Feature>: Sendable
where Root.State: CanonicalCodable, Root.Action: CanonicalCodable, Root.Command: CanonicalCodable {
    /// The store that this is a view of.
    public let root: Store<Root>
    private let path: Scope<Root, Child>
    // The index of the child's own scope among the root's.
    private let offset: Int

    init(_ root: Store<Root>, _ path: Scope<Root, Child>, offset: Int) {
        self.root = root
        self.path = path
        self.offset = offset
    }

    /// The child's slice of the state after the last flush.
    public var present: Child.State { path.state(root.present.state) }

    /// The child's slice now and then after each change of it; see `Store.states(of:)`.
    public var states: States<Root, Child.State> { States(store: root, scope: offset, part: path.state) }

    /// Dispatches the child's actions and waits until the answer is on disk.
    ///
    /// The dispatch's scope is one of the child's; without one, its expected sequence is about the child's whole slice.
    public func dispatch(
        _ dispatch: Dispatch<Child.Action>
    ) async throws(StoreError) -> Acknowledgement<Root.Command> {
        let scope = dispatch.expectedSequence == nil ? nil : dispatch.scope.map { offset + 1 + $0 } ?? offset
        return try await root.dispatch(
            Dispatch(
                dispatch.actions.map(path.embed), origin: dispatch.origin, key: dispatch.key, step: dispatch.step,
                expectedSequence: dispatch.expectedSequence, scope: scope, epoch: dispatch.epoch,
                purpose: purpose(of: dispatch), byteCount: dispatch.byteCount))
    }

    private func purpose(of dispatch: Dispatch<Child.Action>) -> Dispatch<Root.Action>.Purpose {
        switch dispatch.purpose {
        case .log: .log
        case .dryRun: .dryRun
        }
    }

    /// A grandchild's view.
    public func scope<Grandchild>(_ embedding: Embedding<Child, Grandchild>) -> ScopedStore<Root, Grandchild> {
        ScopedStore<Root, Grandchild>(root, path.appending(embedding.scope), offset: offset + 1 + embedding.offset)
    }
}

extension Store {
    /// A child feature's view of this store.
    public nonisolated func scope<Child>(_ embedding: Embedding<App, Child>) -> ScopedStore<App, Child> {
        ScopedStore(self, embedding.scope, offset: embedding.offset)
    }
}
