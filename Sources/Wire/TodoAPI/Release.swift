/// The release that this code is.
public enum Release {
    /// Its version, as `--version` and the daemon's status say it.
    public static let version = "0.1.0"
}
