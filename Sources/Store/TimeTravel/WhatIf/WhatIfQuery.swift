public import Chronicle

/// A what-if query: the edits of history, and the end of the fold.
public struct WhatIfQuery<App: Feature>: Sendable {
    public var alterations: [Alteration<App.Action>]
    /// The point whose state is requested.
    public var at: Point
    /// The uid that dispatches inserted actions.
    public var origin: UInt32
    public var skipping: Skipping
    public var results: Results

    /// The extent of a skip.
    public enum Skipping: Sendable {
        /// Its whole step, and the undos of that step.
        case steps
        /// Only the record.
        case records
    }

    /// The results of commands to keep.
    public enum Results: Sendable {
        /// Those of commands that the altered history also requests.
        case asked
        case all
    }

    public init(
        _ alterations: [Alteration<App.Action>], at: Point = .now, origin: UInt32 = 0, skipping: Skipping = .steps,
        results: Results = .asked
    ) {
        self.alterations = alterations
        self.at = at
        self.origin = origin
        self.skipping = skipping
        self.results = results
    }
}
