import StoreRuntime

/// Why reading an import ends early: because of the file, or because of the store.
enum ImportStop: Error {
    case failure(ImportFailure)
    case store(StoreError)

    static func reading<Value>(_ body: () throws(ImportFailure) -> Value) throws(ImportStop) -> Value {
        do throws(ImportFailure) { return try body() } catch { throw .failure(error) }
    }

    static func impossible(_ sentence: String) -> ImportStop { .failure(ImportFailure(sentence)) }
}
