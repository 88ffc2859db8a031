/// How much each part does.
struct Sizes: Sendable {
    /// Keys in the table before dispatches are measured.
    var keys: Int
    /// How often the C loop and the daemon take turns.
    var dispatchRounds: Int
    /// How long each turn takes, in nanoseconds.
    var turn: UInt64
    /// Actions of the short and of the long log.
    var shortLog: Int
    var longLog: Int
    /// Starts that are measured of each log.
    var starts: Int
    /// Starts without a snapshot.
    var replays: Int
    /// Todos of the short and of the long list.
    var shortList: Int
    var longList: Int
    /// Turns of each kind of edit, and the edits in one.
    var editRounds: Int
    var editsPerRound: Int
    /// Dispatches in a turn with and without invariants.
    var boundDispatches: Int
    /// Todos whose memory is measured.
    var memoryTodos: Int
    /// Runs of each verb of the client.
    var clientRuns: Int
    /// Records over 10,000 todos, short questions of each kind beside long ones, todos of 1 KB in a large state, and edits of them that are asked about.
    var pastRecords: Int
    var pastQuestions: Int
    var pastTodos: Int
    var pastEdits: Int
    /// Actions of the large history, and the todos that are live in it.
    var travelLog: Int
    var travelTodos: Int
    /// Actions of it in one dispatch.
    var travelBatch: Int
    /// Looks into it of each kind, and searches through it.
    var pastReads: Int
    var searches: Int
    /// Turns of a writer with and without others that look into it, and how long each takes, in nanoseconds.
    var writerRounds: Int
    var writerTurn: UInt64
    /// Connections that follow one scope, and those that ask for nothing.
    var subscribers: Int
    var idleConnections: Int
    /// Turns of a paced writer with and without subscribers, and its dispatches in one.
    var watchRounds: Int
    var watchedEvents: Int

    /// Actions of the log that the faces show, todos in it and in the list in which is typed, jumps into the past, and seconds that a key is held.
    var facesLog: Int
    var facesTodos: Int
    var typedTodos: Int
    var facesJumps: Int
    var heldSeconds: UInt64

    /// Records that a machine lacks which was away, and how often the one that runs commands dies.
    var clusterBehind: Int
    var takeovers: Int

    static let full = Sizes(
        keys: 1_000_000, dispatchRounds: 5, turn: 1_000_000_000, shortLog: 1000, longLog: 1_000_000, starts: 9, replays: 3,
        shortList: 1000, longList: 1_000_000, editRounds: 20, editsPerRound: 20, boundDispatches: 60_000, memoryTodos: 100_000,
        clientRuns: 20,
        pastRecords: 43_000, pastQuestions: 200, pastTodos: 100_000, pastEdits: 1_000, travelLog: 10_000_000, travelTodos: 10_000,
        travelBatch: 96,
        pastReads: 50, searches: 7, writerRounds: 4,
        writerTurn: 4_000_000_000, subscribers: 1000, idleConnections: 4000, watchRounds: 3, watchedEvents: 500,
        facesLog: 1_000_000, facesTodos: 10_000, typedTodos: 100_000, facesJumps: 20, heldSeconds: 4,
        clusterBehind: 1_000_000, takeovers: 5)

    static let quick = Sizes(
        keys: 20_000, dispatchRounds: 3, turn: 200_000_000, shortLog: 1000, longLog: 20_000, starts: 5, replays: 2,
        shortList: 1000, longList: 20_000, editRounds: 5, editsPerRound: 10, boundDispatches: 6_000, memoryTodos: 10_000,
        clientRuns: 20,
        pastRecords: 6_000, pastQuestions: 20, pastTodos: 5_000, pastEdits: 200, travelLog: 60_000, travelTodos: 1000,
        travelBatch: 96, pastReads: 10,
        searches: 3, writerRounds: 2,
        writerTurn: 500_000_000, subscribers: 1000, idleConnections: 1000, watchRounds: 1, watchedEvents: 100,
        facesLog: 30_000, facesTodos: 10_000, typedTodos: 10_000, facesJumps: 5, heldSeconds: 1,
        clusterBehind: 20_000, takeovers: 1)
}
