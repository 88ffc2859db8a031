#if CrashPoints
    import CMachine
#endif

extension CrashPoints {
    /// The plan in the environment variable `CRASH_POINT`; empty in a build without the trait.
    public static var ofProcess: CrashPoints {
        #if CrashPoints
            CrashPoints(plan: environment_variable("CRASH_POINT").map { String(cString: $0) })
        #else
            CrashPoints()
        #endif
    }
}
