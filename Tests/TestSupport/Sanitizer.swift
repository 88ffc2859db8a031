import Glibc

/// A sanitizer that is built into the tests and the programs.
public enum Sanitizer {
    /// Whether there is one.
    public static let isOn = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

    /// How much of something to do: all of it, or a fifth where everything takes ten times as long.
    public static func share(of count: Int) -> Int { isOn ? count / 5 : count }
}
