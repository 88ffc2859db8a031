import Testing

/// Whether the programs can crash at named points: they are built with the same trait as these tests.
enum CrashPlan {
    #if CrashPoints
        static let isCompiledIn = true
    #else
        static let isCompiledIn = false
    #endif

    static let reason: Comment = "the programs are built without the trait CrashPoints; make test has it"
}
