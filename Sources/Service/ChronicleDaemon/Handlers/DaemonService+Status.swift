import Chronicle
import ChronicleLog
import ChronicleStore
import ChronicleValues
import TimeTravel
import TodoAPI
import VarlinkNIO

extension DaemonService {
    func ping(_ input: PingMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        let present = store.present
        reply.succeed(PingMethod.Output(version: facts.version, epoch: present.epoch, sequence: present.sequence))
    }

    func metrics(_ input: MetricsMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        answer(reply) { [store, daemonMetrics, facts] stream in
            let text = try await store.queries.perform { _ in daemonMetrics.text(subscribers: facts.subscribers.count) }
            stream.end(MetricsMethod.Output(text: text))
        }
    }

    func machines(_ input: MachinesMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        answer(reply) { [files] stream in stream.end(await files.shared?.machinesMessage() ?? MachinesMethod.Output()) }
    }

    private static var clientsMax: Int { 8_192 }

    func clients(_ input: ClientsMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        daemonMetrics.listClients { clients in
            // On the event loop, where sorting thousands of entries is fast.
            let sorted = clients.sorted { ($0.waitingBytes, $0.calls) > ($1.waitingBytes, $1.calls) }
            reply.succeed(ClientsMethod.Output(clients: sorted.prefix(Self.clientsMax).map { ClientMessage($0) }))
        }
    }

    func status(_ input: StatusMethod.Input, from peer: Peer, _ reply: ReplyHandle) {
        answer(reply) { [self, store] stream in
            stream.end(try await store.queries.perform { _ in self.currentStatus() })
        }
    }

    /// Reads the free space of the disk and the free pages of the log.
    private func currentStatus() -> StatusMethod.Output {
        let status = store.status
        let present = store.present
        let base = files.log.base
        let redactions = files.log.redactions.count
        return StatusMethod.Output(
            version: facts.version, mode: facts.mode.rawValue, epoch: present.epoch, sequence: present.sequence,
            started: facts.started, clients: daemonMetrics.connections,
            subscribers: facts.subscribers.count,
            logBytes: status.logBytes, logGrowthBytes: status.logBytes - min(status.logBytes, facts.logBytesAtStart),
            mapBytes: status.mapBytes,
            // In memory, it is unlimited.
            freeBytes: min(status.freeBytes, UInt64(Int64.exactMax)), storageFull: status.isStorageFull,
            clockBehind: status.clockBehind == 0 ? nil : UInt64(status.clockBehind),
            snapshot: status.snapshot.sequence == 0
                ? nil
                : SnapshotMessage(
                    sequence: status.snapshot.sequence, time: status.snapshot.time, bytes: status.snapshot.bytes),
            outbox: OutboxMessage(
                open: UInt64(status.commands.open), started: UInt64(status.commands.started),
                parked: UInt64(status.commands.parked),
                held: UInt64(status.commands.held), scheduled: UInt64(status.commands.scheduled),
                scheduledMax: UInt64(Limits.delayedCommandsMax)), base: base?.sequence, archive: base?.archive,
            redactions: redactions == 0 ? nil : redactions, debugged: debugging.debugged,
            lock: present.lock.map {
                StandingLockMessage(reason: $0.reason, origin: $0.origin, sequence: $0.record)
            }, capabilities: facts.capabilities.map(\.rawValue), times: times.isEmpty ? nil : times,
            damage: facts.served.map { DamageMessage(kind: $0.kind.rawValue, sequence: $0.sequence, what: $0.what) },
            fork: facts.fork,
            commandsHeld: status.commands.areAllHeld ? true : nil,
            cluster: files.shared?.message(obstacle: store.followingObstacle))
    }
}

extension ClientMessage {
    fileprivate init(_ client: ConnectionStatus) {
        self.init(
            uid: client.peer.uid, pid: Int64(client.peer.pid), calls: UInt64(client.calls),
            waitingBytes: UInt64(max(0, client.waitingBytes)), streams: UInt64(client.streams))
    }
}
