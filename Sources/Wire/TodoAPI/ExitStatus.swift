/// The exit statuses of the daemon: the numbers of `sysexits.h`, each with one meaning.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    case stopped = 0
    case usage = 64
    case damagedData = 65
    case software = 70
    case inputOutput = 74
    case tryAgain = 75
    case notPermitted = 77
    case configuration = 78

    /// Its meaning, as the manual describes it.
    public var sentence: String {
        switch self {
        case .stopped: "Stopped as asked."
        case .usage: "The command line is wrong."
        case .damagedData:
            "The log is damaged, and the sequence of the first damaged record is named; or a history to be replayed is invalid or damaged."
        case .software: "A part of the daemon ended that must not; systemd starts the daemon again."
        case .inputOutput:
            "The machine failed: the disk has failed or is full, or there are no descriptors left; systemd starts the daemon again."
        case .tryAgain:
            "Another daemon uses the directory, and its process is named; or a log that several machines share is to be founded or "
                + "joined, and the cluster does not answer; systemd starts the daemon again."
        case .notPermitted:
            "A directory or a file is not writable, is writable by other users, is a symbolic link, has more than one hard link, or "
                + "should be empty but is not; systemd does not start the daemon again."
        case .configuration:
            "The configuration is wrong, there is no log in the directory that is to be read, or a file with a state or a history "
                + "can't be read; or the log is no copy of the one that the cluster has, another machine is called as this one, or the "
                + "cluster refuses the user, the password or the certificate; systemd does not start the daemon again."
        }
    }
}
