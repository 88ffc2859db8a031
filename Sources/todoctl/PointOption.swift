import ArgumentParser
import TodoAPI

/// The moment that a verb looks at; now, unless `--at` says another.
struct PointOption: ParsableArguments {
    @Option(
        name: .customLong("at"), parsing: .unconditional,
        help: ArgumentHelp(
            "Show it as it was: a record, -3 (records back), \"yesterday 9:00\", a bookmark.", valueName: "point"))
    var text: String?

    /// The point, if there is one.
    func point(_ session: Session) throws(Failure) -> Point? {
        guard let text else { return nil }
        return try session.point(text, edge: .moment)
    }
}
