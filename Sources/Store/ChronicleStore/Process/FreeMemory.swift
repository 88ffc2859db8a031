import CMachine

/// Memory that was freed but still belongs to the process.
public enum FreeMemory {
    /// Returns free memory to the system.
    ///
    /// Each thread has its own heap, and memory freed there can't be used by other threads. Call this after freeing something large or
    /// before allocating it on another thread. It locks each heap and takes some milliseconds per 100 MB.
    public static func giveBack() { heaps_trim() }

    /// Returns large blocks to the system as soon as they are freed.
    public static func giveBackLargeBlocks() { heaps_keep_small() }

    /// Unmaps the code that only the start needs: a third of the memory of an idle daemon.
    ///
    /// Debug builds keep it, because debugger breakpoints would be lost.
    public static func giveBackCode() {
        #if !DEBUG
            code_give_back()
        #endif
    }
}
