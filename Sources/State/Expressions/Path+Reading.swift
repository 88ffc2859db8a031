public import Reducing

extension Path {
    /// What stands at a path.
    public enum Found: Sendable {
        case nothing
        case value(Value)
        /// A list that the state lends page by page.
        // Apart, so that a value, which it nearly always is, costs no more than itself.
        indirect case list(ListView)
    }

    /// Reads what stands at this path.
    public func read(from reader: inout some StateReader) -> Found {
        var passed = 0
        return read(from: &reader, passed: &passed)
    }

    /// Reads what stands at this path.
    ///
    /// - Parameter passed: grows by how many parts of the state were made, or looked at, to find it.
    func read(from reader: inout some StateReader, passed: inout Int) -> Found {
        let names = names
        guard let list = reader.list(along: names) else {
            // The last of the names stands among these.
            passed += reader.value(at: names.dropLast())?.partCount ?? 0
            guard var value = reader.value(at: names) else { return .nothing }
            for step in steps[names.count...] {
                passed += value.partCount
                guard let part = value.part(step) else { return .nothing }
                value = part
            }
            return .value(value)
        }
        guard list.depth < steps.count else { return .list(list.view) }
        guard var value = list.view.element(steps[list.depth], passed: &passed) else { return .nothing }
        for step in steps[(list.depth + 1)...] {
            passed += value.partCount
            guard let part = value.part(step) else { return .nothing }
            value = part
        }
        return .value(value)
    }
}

extension Value {
    /// How many parts may have to be looked at to find one.
    var partCount: Int {
        switch self {
        case .record(let fields): fields.count
        case .list(let elements): elements.count
        default: 0
        }
    }

    /// The part of a value that is one step further; `nil` where there is none.
    public func part(_ step: Path.Step) -> Value? {
        switch self {
        case .record(let fields):
            if case .name(let name) = step { fields.first { $0.name.hasSameBytes(as: name) }?.value } else { nil }
        case .list(let elements):
            if case .position(let position) = step {
                Self.index(position, in: elements.count).map { elements[$0] }
            } else {
                elements.first { $0.hasID(step) }
            }
        default: nil
        }
    }

    /// Whether this is the element that an id selects.
    func hasID(_ step: Path.Step) -> Bool {
        switch (step, part(.name("id"))) {
        case (.id(let id), .int(let own)?): id == own
        case (.name(let id), .text(let own)?): id.hasSameBytes(as: own)
        default: false
        }
    }

    fileprivate static func index(_ position: Int, in count: Int) -> Int? {
        let index = position < 0 ? count + position : position
        return index >= 0 && index < count ? index : nil
    }
}

extension ListView {
    /// The element that a step selects; `nil` where there is none.
    func element(_ step: Path.Step, passed: inout Int) -> Value? {
        switch step {
        case .position(let position): return Value.index(position, in: count).flatMap { elements($0..<$0 + 1).first }
        case .id(let id):
            if let find { return find(id) }
        case .name: break
        }
        var start = 0
        while start < count {
            let end = min(count, start + ExpressionLimits.pageElementsMax)
            passed += end - start
            if let element = elements(start..<end).first(where: { $0.hasID(step) }) { return element }
            start = end
        }
        return nil
    }
}
