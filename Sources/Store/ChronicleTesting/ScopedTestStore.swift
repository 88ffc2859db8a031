public import Chronicle

/// A child feature's view of a test store: its slice of the state and its actions.
///
/// Changes outside the slice fail like unasserted changes inside it. Commands are those of the root, which alone can embed them.
public struct ScopedTestStore<Root: Feature, Child: Feature> {
    public let root: TestStore<Root>
    let path: Scope<Root, Child>

    public var state: Child.State { path.state(root.state) }

    /// Dispatches a child's action and asserts its effects; see `TestStore.send`.
    public func send(
        _ action: Child.Action, logging: [Child.Action]? = nil, _ changes: ((inout Child.State) throws -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        root.send(
            path.embed(action), logging: logging?.map(path.embed), lifted(changes),
            fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// Dispatches a child's action that must be refused; see `TestStore.refuse`.
    public func refuse(
        _ action: Child.Action, name: String, answering command: Root.Command? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        root.refuse(
            path.embed(action), name: name, answering: command, fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// Asserts the next commands that reducers returned; see `TestStore.expect`.
    public func expect(
        _ commands: Root.Command...,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        for command in commands { root.expect(command, fileID: fileID, filePath: filePath, line: line, column: column) }
    }

    /// Returns the result of an expected command as a child's event; see `TestStore.receive`.
    public func receive(
        _ fact: Child.Action, answering command: Root.Command? = nil, logging: [Child.Action]? = nil,
        _ changes: ((inout Child.State) throws -> Void)? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) {
        root.receive(
            path.embed(fact), answering: command, logging: logging?.map(path.embed), lifted(changes),
            fileID: fileID, filePath: filePath, line: line, column: column)
    }

    public func scope<Grandchild>(_ inner: Scope<Child, Grandchild>) -> ScopedTestStore<Root, Grandchild> {
        ScopedTestStore<Root, Grandchild>(root: root, path: path.appending(inner))
    }

    private func lifted(_ changes: ((inout Child.State) throws -> Void)?) -> ((inout Root.State) throws -> Void)? {
        guard let changes else { return nil }
        return { [path] root in
            var failure: (any Error)?
            path.modify(&root) { slice in
                do { try changes(&slice) } catch { failure = error }
            }
            if let failure { throw failure }
        }
    }
}

// A view is used where its store is.
@available(*, unavailable)
extension ScopedTestStore: Sendable {}

extension TestStore {
    public func scope<Child>(_ path: Scope<App, Child>) -> ScopedTestStore<App, Child> { ScopedTestStore(root: self, path: path) }
}
