import DispatchHistory
import Testing

/// Possible histories, and one for each kind of contradiction.
@Suite struct ContradictionTests {
    private func dispatch(
        _ key: String, _ asked: Int64, _ answered: Int64, as sequence: Int64, again isDuplicate: Bool = false
    ) -> SeenDispatch {
        SeenDispatch(key, [.init(asked, answered, .acknowledged([sequence], isDuplicate: isDuplicate))])
    }

    private func contradictions(
        _ dispatches: SeenDispatch..., log keys: [String?], reads: [SeenRead] = [], told: [[LoggedRecord]] = []
    ) -> [Contradiction] {
        var history = DispatchHistory()
        (history.dispatches, history.reads, history.told) = (dispatches, reads, told)
        return history.contradictions(with: log(keys))
    }

    private func log(_ keys: [String?]) -> [LoggedRecord] {
        keys.enumerated().map { LoggedRecord(Int64($0 + 1), $1, amount: $1 == nil ? 0 : 1) }
    }

    // MARK: - Possible histories

    @Test func `an empty history is linearizable`() {
        #expect(contradictions(log: []) == [])
    }

    @Test func `concurrent dispatches may be logged in either order`() {
        for keys in [["a", "b"], ["b", "a"]] {
            let (a, b) = (Int64(keys[0] == "a" ? 1 : 2), Int64(keys[0] == "a" ? 2 : 1))
            #expect(contradictions(dispatch("a", 0, 10, as: a), dispatch("b", 5, 15, as: b), log: keys) == [])
        }
    }

    @Test func `a dispatch with unknown outcome may be absent or logged arbitrarily late, but not before its call`() {
        let unknown = SeenDispatch("u", [.init(20, 30, .unknown)])
        #expect(contradictions(unknown, log: []) == [])
        #expect(contradictions(unknown, dispatch("a", 90, 99, as: 1), log: ["a", "u"]) == [])
        #expect(contradictions(unknown, dispatch("a", 25, 99, as: 2), log: ["u", "a"]) == [])
        #expect(
            contradictions(unknown, dispatch("a", 0, 10, as: 2), log: ["u", "a"])
                == [.reversed(key: "a", sequence: 2, behind: "u", 1)])
    }

    @Test func `a repeated dispatch may be logged by any of its effective attempts`() {
        let again = SeenDispatch(
            "a", [.init(0, 5, .unknown), .init(6, 7, .refused), .init(8, 9, .acknowledged([1], isDuplicate: true))])
        #expect(contradictions(again, dispatch("b", 4, 9, as: 2), log: ["a", "b"]) == [])
        let atLast = SeenDispatch("a", [.init(0, 5, .unknown), .init(8, 9, .acknowledged([2], isDuplicate: false))])
        #expect(contradictions(atLast, dispatch("b", 1, 7, as: 1), log: ["b", "a"]) == [])
    }

    @Test func `a duplicate has its first position, however often it is repeated`() {
        let twice = SeenDispatch(
            "a",
            [.init(0, 5, .acknowledged([1], isDuplicate: false)), .init(50, 60, .acknowledged([1], isDuplicate: true))])
        #expect(contradictions(twice, dispatch("b", 6, 7, as: 2), log: ["a", "b"]) == [])
    }

    @Test func `records without a dispatch and batches have positions`() {
        let batch = SeenDispatch("a", count: 2, [.init(0, 5, .acknowledged([2, 3], isDuplicate: false))])
        #expect(contradictions(batch, dispatch("b", 6, 7, as: 4), log: [nil, "a", "a", "b"]) == [])
    }

    @Test func `a read sees the value of its position`() {
        let read = SeenRead(asked: 3, answered: 9, minimum: 1, sequence: 3, total: 2)
        #expect(
            contradictions(dispatch("a", 0, 2, as: 1), dispatch("b", 4, 20, as: 3), log: ["a", nil, "b"], reads: [read]) == [])
    }

    @Test func `a dispatch with an expected record follows it, or is refused for records before the answer`() {
        let first = dispatch("a", 0, 10, as: 1)
        let behind = SeenDispatch("b", expected: 1, [.init(5, 12, .acknowledged([2], isDuplicate: false))])
        let refused = SeenDispatch("c", expected: 0, [.init(1, 3, .stale(1))])
        #expect(contradictions(first, behind, refused, log: ["a", "b"]) == [])
    }

    // MARK: - Contradictions

    @Test func `a gap and a duplicate record are found`() {
        var history = DispatchHistory()
        history.dispatches = [dispatch("a", 0, 1, as: 1)]
        #expect(history.contradictions(with: [LoggedRecord(1, "a"), LoggedRecord(3, "b")]) == [.gap(at: 2)])
        #expect(history.contradictions(with: [LoggedRecord(1, "a"), LoggedRecord(1, "a")]) == [.gap(at: 2)])
    }

    @Test func `a record without a dispatch is found`() {
        #expect(contradictions(dispatch("a", 0, 1, as: 1), log: ["a", "x"]) == [.unasked(key: "x")])
    }

    @Test func `an acknowledged dispatch that is lost or elsewhere is found`() {
        #expect(contradictions(dispatch("a", 0, 1, as: 1), log: [nil]) == [.lost(key: "a", [1])])
        #expect(
            contradictions(dispatch("a", 0, 1, as: 1), log: [nil, "a"]) == [.moved(key: "a", told: [1], logged: [2])])
    }

    @Test func `a dispatch that is logged twice, in separate parts or incompletely is found`() {
        #expect(contradictions(dispatch("a", 0, 1, as: 1), log: ["a", "a"]).contains(.doubled(key: "a", [1, 2])))
        #expect(contradictions(dispatch("a", 0, 1, as: 1), log: ["a", nil, "a"]).contains(.doubled(key: "a", [1, 3])))
        let batch = SeenDispatch("a", count: 2, [.init(0, 5, .unknown)])
        #expect(contradictions(batch, log: ["a"]) == [.doubled(key: "a", [1])])
        #expect(contradictions(batch, log: ["a", nil, "a"]) == [.doubled(key: "a", [1, 3])])
        // This also holds without an acknowledgement.
        #expect(contradictions(SeenDispatch("a", [.init(0, 5, .unknown)]), log: ["a", "a"]) == [.doubled(key: "a", [1, 2])])
    }

    @Test func `a refused dispatch in the log is found`() {
        let refused = SeenDispatch("a", [.init(0, 5, .refused), .init(6, 7, .refused)])
        #expect(contradictions(refused, log: ["a"]) == [.refusedAndLogged(key: "a")])
        #expect(contradictions(refused, log: []) == [])
    }

    @Test func `a duplicate that was answered too early is found`() {
        #expect(contradictions(dispatch("a", 0, 1, as: 1, again: true), log: ["a"]) == [.knownBefore(key: "a")])
        let refused = SeenDispatch("a", [.init(0, 5, .refused), .init(6, 7, .acknowledged([1], isDuplicate: true))])
        #expect(contradictions(refused, log: ["a"]) == [.knownBefore(key: "a")])
    }

    @Test func `two dispatches in the wrong order are found`() {
        #expect(
            contradictions(dispatch("a", 0, 10, as: 2), dispatch("b", 11, 20, as: 1), log: ["b", "a"])
                == [.reversed(key: "a", sequence: 2, behind: "b", 1)])
        // The first attempt was refused, so the dispatch took effect after the other.
        let late = SeenDispatch("a", [.init(0, 5, .refused), .init(11, 20, .acknowledged([1], isDuplicate: false))])
        #expect(
            contradictions(late, dispatch("b", 6, 10, as: 2), log: ["a", "b"])
                == [.reversed(key: "b", sequence: 2, behind: "a", 1)])
    }

    @Test func `a dispatch that misses its expected record, or was refused as stale too early, is found`() {
        let behind = SeenDispatch("b", expected: 0, [.init(5, 12, .acknowledged([2], isDuplicate: false))])
        #expect(
            contradictions(dispatch("a", 0, 10, as: 1), behind, log: ["a", "b"])
                == [.misplaced(key: "b", expected: 0, sequence: 2)])
        for said: Int64 in [0, 1, 7] {
            let refused = SeenDispatch("c", expected: 0, [.init(1, 3, .stale(said))])
            #expect(
                contradictions(dispatch("a", 4, 10, as: 1), refused, log: ["a"])
                    == [.falselyStale(key: "c", expected: 0, said: said)])
        }
    }

    @Test func `a read of another position, of the future or of another value is found`() {
        let (a, b) = (dispatch("a", 0, 2, as: 1), dispatch("b", 14, 20, as: 2))
        func check(_ minimum: Int64, _ sequence: Int64, _ total: Int64) -> (SeenRead, [Contradiction]) {
            let read = SeenRead(asked: 3, answered: 9, minimum: minimum, sequence: sequence, total: total)
            return (read, contradictions(a, b, log: ["a", "b"], reads: [read]))
        }
        let (old, oldFound) = check(1, 0, 0)
        #expect(oldFound == [.readElsewhere(old)])
        let (far, farFound) = check(0, 3, 2)
        #expect(farFound == [.readElsewhere(far)])
        let (soon, soonFound) = check(0, 2, 2)
        #expect(soonFound == [.readTooSoon(soon)])
        let (other, otherFound) = check(0, 1, 2)
        #expect(otherFound == [.readOtherwise(other, total: 1)])
    }

    @Test func `a result of a command from the wrong machine is found`() {
        let records = (1...4).map { LoggedRecord($0, nil, amount: 0, runner: $0 == 3 ? "b" : "a") }
        func found(_ terms: SeenTerm...) -> [Contradiction] {
            var history = DispatchHistory()
            history.terms = terms
            return history.contradictions(with: records)
        }
        #expect(found(SeenTerm(behind: 0, through: 2, node: "a"), SeenTerm(behind: 2, through: 3, node: "b")) == [])
        #expect(found(SeenTerm(behind: 2, through: 2, node: "c")) == [])
        #expect(found(SeenTerm(behind: 0, through: 3, node: "a")) == [.strayRunner(records[2], while: "a")])
        #expect(found(SeenTerm(behind: 3, through: 4, node: "b")) == [.strayRunner(records[3], while: "b")])
    }

    @Test func `a subscriber that missed a record, got one twice or saw another order is found`() {
        let records = log(["a", nil, "b"])
        let wrong: [([LoggedRecord], Int64)] = [
            (Array(records.prefix(2)), 3), ([records[0], records[2]], 2), ([records[0], records[0], records[1], records[2]], 2),
            (records + [records[2]], 4), ([records[1], records[0], records[2]], 1), (log(["a", nil, "x"]), 3),
        ]
        for (told, place) in wrong {
            #expect(
                contradictions(
                    dispatch("a", 0, 1, as: 1), dispatch("b", 2, 3, as: 3), log: ["a", nil, "b"], told: [records, told])
                    == [.toldOtherwise(subscriber: 1, at: place)])
        }
    }
}
