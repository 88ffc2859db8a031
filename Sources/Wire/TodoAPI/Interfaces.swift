/// The texts of our interfaces, as files of this target hold them and as the daemon serves them.
public enum Interfaces {
    /// `org.todod.Admin`, `org.todod.History` and `org.todod.Store`, each ending in one line feed.
    public static var all: [String] { texts }
}
