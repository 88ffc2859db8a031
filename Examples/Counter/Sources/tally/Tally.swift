import ChronicleCodable
import ChronicleStore

/// A durable sum without a schema: adds the numbers on its command line, and prints the sum of all it was ever given.
@main enum Tally {
    static func main() async throws {
        let store = try Store(0, directory: CommandLine.arguments[1]) { (sum: inout Int, amount: Int) in sum += amount }
        for argument in CommandLine.arguments.dropFirst(2) { try await store.dispatch(Int(argument) ?? 0) }
        print(store.value)
        await store.stop()
    }
}
