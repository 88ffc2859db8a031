public import StoreRuntime

/// Why nothing was taken back.
public enum UndoError: Error, Sendable, Equatable {
    /// There is nothing to undo.
    case nothingToUndo
    /// There is nothing to redo: nothing was undone, or something new was done since.
    case nothingToRedo
    /// There is no such step.
    case unknownStep(UInt64)
    /// The step was taken back before.
    case alreadyUndone(UInt64)
    /// The step is that of another uid.
    case notYourStep(UInt64, uid: UInt32)
    /// Nothing is left of what the step did.
    case nothingLeft(UInt64)
    /// The past can't be read as far as that.
    case travel(TravelError)
    /// The store refuses; `.conflict` lists what has changed since.
    case store(StoreError)
}
