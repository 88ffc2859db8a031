import ArgumentParser

/// A part of the benchmarks that can be run alone.
enum Part: String, CaseIterable, ExpressibleByArgument, Sendable {
    case size, dispatch, start, edit, invariant, memory, limit, client, watch, flood, reduce, past, faces, travel, cluster

    /// Whether it is only run when it is asked for: it takes long, or needs what is not everywhere.
    var isOnDemand: Bool { self == .travel || self == .cluster }

    func run(_ setup: Setup) throws(BenchmarkError) -> Findings {
        switch self {
        case .size: try SizePart(setup: setup).run()
        case .dispatch: try DispatchPart(setup: setup).run()
        case .start: try StartPart(setup: setup).run()
        case .edit: try EditPart(setup: setup).run()
        case .invariant: try InvariantPart(setup: setup).run()
        case .memory: try MemoryPart(setup: setup).run()
        case .limit: try LimitPart(setup: setup).run()
        case .client: try ClientPart(setup: setup).run()
        case .watch: try WatchPart(setup: setup).run()
        case .flood: try FloodPart(setup: setup).run()
        case .reduce: try ReducePart(setup: setup).run()
        case .past: try PastPart(setup: setup).run()
        case .faces: try FacesPart(setup: setup).run()
        case .travel: try TravelPart(setup: setup).run()
        case .cluster: try ClusterPart(setup: setup).run()
        }
    }
}
