import CMachine

/// What has been freed and still belongs to the process.
public enum FreeMemory {
    /// Gives it back to the system.
    ///
    /// Each thread has a heap of its own, and what one has freed there is of no use to the others. So whoever lets go of something
    /// large, or is about to make it on another thread, calls this. It takes some milliseconds for 100 MB, and each heap is locked meanwhile.
    public static func giveBack() { heaps_trim() }

    /// From now on gives back large blocks as soon as they are free: a large reply or batch leaves nothing behind.
    public static func giveBackLargeBlocks() { heaps_keep_small() }

    /// Gives back the code that a start alone has run: a third of what an idle daemon would hold.
    ///
    /// The breakpoints of a debugger would go with it, so a debug build keeps it.
    public static func giveBackCode() {
        #if !DEBUG
            code_give_back()
        #endif
    }
}
