import ArgumentParser
import TodoAPI
import Varlink

struct CallVerb: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "call", abstract: "Call any method and print its replies as JSON.",
        discussion: """
            EXAMPLES:
              todoctl call Admin.Ping
              todoctl call org.todod.Store.GetState '{"scope": "counter"}'
              todoctl call Store.Subscribe '{"scope": "todos.items"}' --more
              todoctl call org.todod.History.Why '{"sequence": 12}' --more
            """)

    @OptionGroup var options: Options

    @Argument(help: "The method; the prefix of the daemon's interfaces can be omitted.")
    var method: String

    @Argument(help: "The parameters, as a JSON object.")
    var parameters = "{}"

    @Flag(help: "Ask for more than one reply.")
    var more = false

    func validate() throws {
        if !method.contains(".") { throw ValidationError("“\(method)” is not a method name, such as Admin.Ping.") }
    }

    func run(_ session: Session) throws {
        let value: Value
        do { value = try Value(parsing: parameters) } catch {
            throw Failure(.usage, "This is not valid JSON: \(error). For examples: todoctl call --help")
        }
        guard value.record != nil else { throw Failure(.usage, "The parameters must be a JSON object: {...}.") }
        let name = method.split(separator: ".").count == 2 ? "\(InterfaceNames.ownPrefix).\(method)" : method
        try session.client.stream(Call.frame(name, parameters: value.jsonBytes, more: more), isLive: more) {
            members throws(Failure) in
            session.output.json(members)
            if more { session.output.flush() }
            return .more
        }
    }
}
