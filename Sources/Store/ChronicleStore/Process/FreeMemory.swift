import CMachine

/// Memory that was freed but still belongs to the process.
public enum FreeMemory {
    /// Returns free memory to the system; locks each heap, and takes some milliseconds per 100 MB.
    ///
    /// Each thread has its own heap. Call this after freeing something large, or before allocating it on another thread.
    public static func giveBack() { heaps_trim() }

    /// Returns large blocks to the system as soon as they are freed.
    public static func giveBackLargeBlocks() { heaps_keep_small() }

    /// Unmaps the code that only the start needs, a third of an idle daemon's memory; debug builds keep it for breakpoints.
    public static func giveBackCode() {
        #if !DEBUG
            code_give_back()
        #endif
    }
}
