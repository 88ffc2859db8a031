public import Reducing
import Varlink

/// Dispatches actions as one batch: all of them or none.
public enum DispatchMethod: Method {
    /// Its full name.
    public static let name = "org.todod.Store.Dispatch"

    /// What is asked.
    public struct Input: Message {
        /// The actions, one key per level; they are not yet those of any feature.
        public var actions: [Value]
        /// Makes a repetition harmless; at most 64 bytes.
        public var key: String?
        /// An earlier step of the same uid that this dispatch continues.
        public var step: UInt64?
        /// The log, or the scope, has not changed since.
        public var expectedSequence: UInt64?
        /// What `expectedSequence` is about; everything, if left out.
        public var scope: String?
        /// The epoch that sequences and step belong to.
        public var epoch: UInt64?
        /// Only say what would happen.
        public var dryRun: Bool?

        /// Makes an input.
        public init(
            actions: [Value], key: String? = nil, step: UInt64? = nil, expectedSequence: UInt64? = nil, scope: String? = nil,
            epoch: UInt64? = nil, dryRun: Bool? = nil
        ) {
            self.actions = actions
            self.key = key
            self.step = step
            self.expectedSequence = expectedSequence
            self.scope = scope
            self.epoch = epoch
            self.dryRun = dryRun
        }

        /// The fields in order.
        public static let fieldNames = ["actions", "key", "step", "expectedSequence", "scope", "epoch", "dryRun"]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            actions = try Self.actions(fields)
            key = try fields.optionalText("key")
            step = try fields.optionalInteger("step")
            expectedSequence = try fields.optionalInteger("expectedSequence")
            scope = try fields.optionalText("scope")
            epoch = try fields.optionalInteger("epoch")
            dryRun = try fields.optionalFlag("dryRun")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("actions", actions)
            writer.field("key", key)
            writer.field("step", step)
            writer.field("expectedSequence", expectedSequence)
            writer.field("scope", scope)
            writer.field("epoch", epoch)
            writer.field("dryRun", dryRun)
        }

        private static func actions(_ fields: FieldReader) throws(APIError) -> [Value] {
            guard let elements = try fields.array("actions") else { throw fields.invalid("actions") }
            var actions: [Value] = []
            actions.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                guard case .object(let members) = element else { throw fields.invalid("actions[\(index)]") }
                do { actions.append(try Value(members)) } catch { throw .badAction(error, action: index) }
            }
            return actions
        }
    }

    /// What happened, or would happen.
    public struct Output: Message {
        /// The epoch of the sequences.
        public var epoch: UInt64
        /// The batch's own records, empty if there was nothing to log.
        public var sequences: [UInt64]
        /// The ids that the batch handed out, in order.
        public var ids: [UInt64]
        /// Whether the key was known and this is the first answer again.
        public var duplicate: Bool
        /// The presentational commands.
        public var presentations: [Value]
        /// What would change; for a dry run only.
        public var changes: [Change]?
        /// What would be run; for a dry run only.
        public var commands: [CommandMessage]?
        /// The ids of what the actions would have made and was there already.
        public var existing: [UInt64]?

        /// Makes an output.
        public init(
            epoch: UInt64, sequences: [UInt64], ids: [UInt64], duplicate: Bool = false, presentations: [Value] = [],
            changes: [Change]? = nil, commands: [CommandMessage]? = nil, existing: [UInt64]? = nil
        ) {
            self.epoch = epoch
            self.sequences = sequences
            self.ids = ids
            self.duplicate = duplicate
            self.presentations = presentations
            self.changes = changes
            self.commands = commands
            self.existing = existing
        }

        /// The fields in order.
        public static let fieldNames = [
            "epoch", "sequences", "ids", "duplicate", "presentations", "changes", "commands", "existing",
        ]

        /// Reads the fields.
        public init(_ fields: FieldReader) throws(APIError) {
            epoch = try fields.integer("epoch")
            sequences = try fields.integers("sequences")
            ids = try fields.integers("ids")
            duplicate = try fields.flag("duplicate")
            presentations = try fields.records("presentations")
            changes = try fields.optionalMessages("changes")
            commands = try fields.optionalMessages("commands")
            existing = try fields.optionalIntegers("existing")
        }

        /// Writes the fields.
        public func write(fields writer: inout ObjectWriter) {
            writer.field("epoch", epoch)
            writer.field("sequences", sequences)
            writer.field("ids", ids)
            writer.field("duplicate", duplicate)
            writer.field("presentations", presentations)
            writer.field("changes", changes)
            writer.field("commands", commands)
            writer.field("existing", existing)
        }
    }
}
