import Reducing

/// An action of a feature, in the form of the wire.
enum FeatureAction {
    /// `{"posts": {"add": {"id": 3}}}`.
    static func make(_ feature: String, _ name: String, _ payload: Value = [:]) -> Value {
        .record([.init(feature, .record([.init(name, payload)]))])
    }

    /// The feature, or scope of it, that a person names as a verb names it: `star` for `stars`.
    static func scope(of word: String) -> String {
        let verbs = ["star": "stars", "repos": "repositories", "flow": "flows"]
        let feature = word.prefix { $0 != "." }
        return (verbs[String(feature)] ?? String(feature)) + word.dropFirst(feature.count)
    }
}
