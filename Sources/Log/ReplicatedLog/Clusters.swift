import Etcd

/// To which clusters the members belong that are asked: one that was made anew may be a cluster of its own.
struct Clusters {
    /// Those of the endpoints, each `nil` that does not say it.
    private let told: [String?]
    /// That of more than half of them.
    private let most: String?

    /// Asks them, and waits for their answers.
    init(_ client: EtcdClient) {
        let told = client.clusters()
        self.told = told
        most = told.lazy.compactMap(\.self).first { cluster in 2 * told.count { $0 == cluster } > told.count }
    }

    /// Whether all that say it belong to one, or most do.
    var areOne: Bool { most != nil || Set(told.compactMap(\.self)).count <= 1 }

    /// Has answers of most of them alone believed; all are while nobody knows which that is.
    func trust(_ client: EtcdClient) {
        guard let most else { return }
        client.trust(most, besides: Set(told.indices.filter { told[$0] != nil && told[$0] != most }))
    }
}
