public import Reducing

/// A question of the kind "what if": how history is to be altered, and up to which moment.
public struct WhatIfQuery<App: Feature>: Sendable {
    public var alterations: [Alteration<App.Action>]
    /// The moment whose state is asked for.
    public var at: Point
    /// The uid by whom inserted actions are dispatched.
    public var origin: UInt32
    public var skipping: Skipping
    public var results: Results

    /// The extent of a skip.
    public enum Skipping: Sendable {
        /// Its whole step, and the undos of that.
        case steps
        /// The record alone.
        case records
    }

    /// Which results of commands stay.
    public enum Results: Sendable {
        /// Those of commands that the altered history asks for as well.
        case asked
        /// All of them.
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
