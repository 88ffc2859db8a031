import DiskLog
import Records
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func backup(_ input: BackupMethod.Input, from peer: Peer, _ reply: ReplyHandle) throws(APIError) {
        guard input.directory.hasPrefix("/") else { throw .invalidParameter("directory") }
        guard let log = files.diskLog else {
            throw .unreadable(message: "This daemon keeps nothing on disk, so there is nothing to copy; todoctl export does it.")
        }
        answer(reply) { [files] stream in
            do {
                let head = try await files.work.run { () throws(ActionLogError) in try log.backUp(to: input.directory) }
                stream.end(BackupMethod.Output(epoch: head.epoch, sequence: head.sequence))
            } catch let error as ActionLogError {
                switch error {
                case .storageFull(_, let message): throw APIError.storageFull(message: message)
                case .notPermitted(let what):
                    throw APIError.backupRefused(
                        message: "\(what). Name a directory that is empty or not there, in one that the daemon's user can write.")
                default: throw APIError.unreadable(message: "The backup failed: \(error).")
                }
            }
        }
    }
}
