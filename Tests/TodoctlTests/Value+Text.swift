import Reducing
import TodoAPI
import Varlink

extension Value {
    /// Reads JSON text.
    init(json text: String) throws { self = try Value(JSON(parsing: text)) }
}
