/// Where the target of a command leaves parts of what it brings, before its end.
///
/// Each part has an index and is logged once: an attempt that is made again may begin with part `logged`, or give all again. Part N has
/// to be the same at every attempt; a target that can't promise that brings everything with its end.
public struct CommandPieces<Action: Sendable>: Sendable {
    /// How far a command is, in units of its target.
    public struct Progress: Sendable, Equatable {
        /// How much is done.
        public var done: UInt64
        /// How much there is to do; 0: that is not known.
        public var total: UInt64

        public init(_ done: UInt64, of total: UInt64 = 0) {
            self.done = done
            self.total = total
        }
    }

    /// Takes in one part.
    public typealias Taking = @Sendable (_ index: Int, _ fact: Action?, Progress) async throws(CommandFailure) -> Void

    /// How many parts are logged, by this attempt's predecessors.
    public let logged: Int
    /// How far the command was at the last of those.
    public let progress: Progress
    private let taking: Taking

    public init(logged: Int = 0, progress: Progress = Progress(0), _ taking: @escaping Taking) {
        self.logged = logged
        self.progress = progress
        self.taking = taking
    }

    /// Has a part logged: a fact, which passes through `prepare` like that of the end, or none, and how far the command is with it.
    ///
    /// Returns when it is on disk, or was there. Parts come in the order of their indexes.
    /// - Throws: why it is not taken; the target then throws that, and what was logged stays.
    public func log(_ index: Int, _ fact: Action? = nil, _ progress: Progress) async throws(CommandFailure) {
        try await taking(index, fact, progress)
    }
}
