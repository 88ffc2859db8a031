/// What the end of the daemon says to whoever started it: the numbers of `sysexits.h`, each with one meaning.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    /// Stopped as asked.
    case stopped = 0
    /// The command line is wrong.
    case usage = 64
    /// A record, a snapshot or the head of the log is damaged; starting again does not heal it.
    case damagedData = 65
    /// A part of the daemon ended that must not.
    case software = 70
    /// The machine failed: a disk failed or is full, or no descriptors are left; or the outcome of a write is unknown.
    case inputOutput = 74
    /// Something else is in the way for now: another daemon holds the data or listens on the socket, or the cluster does not answer.
    case tryAgain = 75
    /// The system refuses access.
    case notPermitted = 77
    /// The configuration is wrong, or there is no log where one is to be read; starting again does not heal it.
    case configuration = 78

    /// What it means, in sentences, as the manual has them too.
    public var sentence: String {
        switch self {
        case .stopped: "Stopped as asked."
        case .usage: "The command line is wrong."
        case .damagedData:
            "The log is damaged, and the sequence of the first damaged record is named; or a history that was to be replayed is none, "
                + "or is damaged."
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
