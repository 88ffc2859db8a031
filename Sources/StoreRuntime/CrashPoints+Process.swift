#if CrashPoints
    import Glibc
#endif

extension CrashPoints {
    /// The plan that the process was started with, in the variable `TODOD_CRASH`; none in a build without the trait.
    public static var ofProcess: CrashPoints {
        #if CrashPoints
            CrashPoints(plan: getenv("TODOD_CRASH").map { String(cString: $0) })
        #else
            CrashPoints()
        #endif
    }
}
