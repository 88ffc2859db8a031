import Testing

/// Whether the programs can be told where to die: they are built with the trait that these tests are built with.
enum CrashPlan {
    #if CrashPoints
        static let isCompiledIn = true
    #else
        static let isCompiledIn = false
    #endif

    static let reason: Comment = "the programs are built without the trait CrashPoints; make test has it"
}
