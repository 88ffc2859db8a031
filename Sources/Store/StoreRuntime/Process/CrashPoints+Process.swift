#if CrashPoints
    import CMachine
#endif

extension CrashPoints {
    /// The plan that the process was started with, in the variable `CRASH_POINT`; none in a build without the trait.
    public static var ofProcess: CrashPoints {
        #if CrashPoints
            CrashPoints(plan: environment_variable("CRASH_POINT").map { String(cString: $0) })
        #else
            CrashPoints()
        #endif
    }
}
