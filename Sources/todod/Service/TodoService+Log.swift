import AppFeature
import StoreRuntime
import TodoAPI
import VarlinkNIO

extension TodoService {
    func log(_ input: LogMethod.Input, _ reply: ReplyHandle) throws(APIError) {
        guard reply.more else { throw .expectedMore }
        try input.from?.check("from")
        try input.to?.check("to")
        answer(reply) { [self, store] stream in
            var first = try await self.first(of: input.from) ?? 1
            let last = try await self.last(of: input.to)
            var left = input.limit ?? .max
            while true {
                let records = try await store.records(from: first, through: last, limit: left)
                left -= UInt64(records.count)
                first += UInt64(records.count)
                let output = LogMethod.Output(records: records.map { RecordMessage($0) })
                if first > last || left == 0 { return stream.end(output) }
                try await stream.send(output)
            }
        }
    }
}
