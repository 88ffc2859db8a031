import Reducing

/// An action of a feature, in the form of the wire.
enum FeatureAction {
    /// `{"posts": {"add": {"id": 3}}}`.
    static func make(_ feature: String, _ name: String, _ payload: Value = [:]) -> Value {
        .record([.init(feature, .record([.init(name, payload)]))])
    }
}
