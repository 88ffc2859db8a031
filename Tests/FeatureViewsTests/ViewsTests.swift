import Chronicle
import ChronicleTesting
import FeatureViews
import TestSupport
import Testing

@Suite struct ViewsTests {
    static let work = SavedView(id: 1, name: "work", filter: "+work is:open")
    static let home = SavedView(id: 2, name: "home", filter: "+home", sort: "due")

    @Test func `a view is saved with an ID, changed by its name, and removed`() {
        let store = TestStore(Views.State(), of: Views.self, origin: 0)
        store.send(
            .save(SavedView(name: "work", filter: "+work is:open")), logging: [.save(Self.work)]
        ) { $0 = Views.State(items: [Self.work]) }
        store.send(
            .save(SavedView(name: "home", filter: "+home", sort: "due")), logging: [.save(Self.home)]
        ) { $0 = Views.State(items: [Self.work, Self.home]) }
        store.send(
            .save(SavedView(name: "work", filter: "+work", sort: "id")), logging: [.change(1, filter: "+work", sort: "id")]
        ) { state in
            state = Views.State(items: [SavedView(id: 1, name: "work", filter: "+work", sort: "id"), Self.home])
        }
        store.send(.save(SavedView(name: "work", filter: "+work", sort: "id")), logging: [])
        store.send(.remove(1)) { $0 = Views.State(items: [Self.home]) }
        store.refuse(.remove(1), name: "UnknownID")
        store.refuse(.change(1, filter: "x"), name: "UnknownID")
        store.refuse(.restore(TablePatch()), name: "FactNotAllowed")
        store.expectNoCommands()
        store.finish()
    }

    @Test(arguments: ["", "1st", "-a", "a b", "a(", "a:b", "@a", "a\n", String(repeating: "a", count: 65)])
    func `a name that a filter can't contain is refused`(name: String) {
        #expect(refusal(of: .save(SavedView(name: name, filter: "x"))) == "BadViewName")
    }

    @Test(arguments: [
        "a\u{200D}b", "a\u{200C}b", "a\u{200B}", "a\u{FEFF}", "a\u{AD}b", "a\u{202E}b", "a\u{2066}", "a\u{FE0F}",
        "a\u{34F}b", "a\u{E0100}", "\u{3164}", "a\u{115F}", "\u{301}a", "a1\u{301}", "a-\u{301}", "a\u{20DD}",
        "a\u{2028}", "a½", "aⅣ", "a✓",
    ])
    func `a name with an invisible character or a mark without a letter is refused`(name: String) {
        #expect(refusal(of: .save(SavedView(name: name, filter: "x"))) == "BadViewName")
    }

    @Test(arguments: ["Größe", "e\u{301}te\u{301}", "काम", "งาน-๒", "仕事", "عمل", "ʻokina", "x2_y.z"])
    func `a name may use any script`(name: String) {
        #expect(refusal(of: .save(SavedView(name: name, filter: "x"))) == nil)
    }

    @Test func `a view with a name that is no longer valid can be changed and removed by its ID`() throws {
        let old = SavedView(id: 1, name: "a\u{200D}b", filter: "x\u{202E}")
        var state = Views.State()
        _ = Views.reduce(&state, .save(old), .test)
        #expect(state.items.elements == [old])
        #expect(try Views.prepare(.change(1, filter: "y"), state, .test) == [.change(1, filter: "y")])
        #expect(try Views.prepare(.remove(1), state, .test) == [.remove(1)])
    }

    @Test func `a saved view has limits, and its ID must not be given`() {
        #expect(refusal(of: .save(Self.work)) == "FieldNotAllowed")
        let long = String(repeating: "x", count: 2_049)
        #expect(refusal(of: .save(SavedView(name: "a", filter: long))) == "ViewTooLong")
        #expect(refusal(of: .save(SavedView(name: "a", filter: "x", sort: long))) == "ViewTooLong")
        #expect(refusal(of: .save(SavedView(name: "Café-2_b.c", filter: String(long.dropLast())))) == nil)
        let many = (1...1_000).map { SavedView(id: UInt64($0), name: "v\($0)", filter: "x") }
        let full = Views.State(items: many)
        #expect(refusal(of: .save(SavedView(name: "one-more", filter: "x")), in: full) == "TooManyViews")
        #expect(refusal(of: .save(SavedView(name: "v7", filter: "y")), in: full) == nil)
        // The first user has half of all views, the second half of the rest.
        let owned = (1...750).map { SavedView(id: UInt64($0), name: "v\($0)", filter: "x", origin: $0 <= 500 ? 7 : 8) }
        for (uid, refused) in [(7, "TooManyViews"), (8, "TooManyViews"), (9, nil), (0, nil)] as [(UInt32, String?)] {
            var found: String?
            let save = Views.Action.save(SavedView(name: "one-more", filter: "x"))
            do throws(Refusal) {
                let logged = try Views.prepare(save, Views.State(items: owned), Context(time: 1, origin: uid))
                #expect(logged == [.save(SavedView(id: 751, name: "one-more", filter: "x", origin: UInt64(uid)))])
            } catch { found = error.name }
            #expect(found == refused)
        }
        #expect(refusal(of: .save(SavedView(name: "a", filter: "x", origin: 7))) == "FieldNotAllowed")
        let last = Views.State(items: [SavedView(id: ElementID.range.upperBound, name: "last", filter: "x")])
        #expect(refusal(of: .save(SavedView(name: "a", filter: "x")), in: last) == "IDsExhausted")
    }

    @Test func `saving a view costs a scan of all views`() {
        let state = Views.State(items: (1...700).map { SavedView(id: UInt64($0), name: "v\($0)", filter: "x") })
        #expect(Views.cost(of: .save(Self.work), in: state) == 700 && Views.cost(of: .save(Self.work), in: Views.State()) == 1)
        #expect(Views.cost(of: .change(1, filter: "y"), in: state) == 1 && Views.cost(of: .remove(1), in: state) == 1)
    }

    @Test func `a filter is a line of text, and a sort specification is a word`() {
        let lines = ["+work\nis:open", "a\u{0}b", "\u{1B}[31m", "a\u{85}", "a\u{2028}b", "a\u{2029}"]
        for filter in lines + ["\u{202E}a", "a\u{2066}", "\u{61C}"] {
            #expect(refusal(of: .save(SavedView(name: "a", filter: filter))) == "BadViewFilter", "\(filter.debugDescription)")
            let known = Views.State(items: [Self.work])
            #expect(refusal(of: .change(1, filter: filter), in: known) == "BadViewFilter")
        }
        for sort in ["due date", "due\n", "d\u{FC}e", "due,id"] {
            #expect(refusal(of: .save(SavedView(name: "a", filter: "x", sort: sort))) == "BadViewFilter", "\(sort)")
        }
        let long = String(repeating: "x", count: 65)
        #expect(refusal(of: .save(SavedView(name: "a", filter: "x", sort: long))) == "ViewTooLong")
        #expect(refusal(of: .save(SavedView(name: "a", filter: "", sort: "-due2"))) == nil)
    }

    @Test func `restoring a view whose name is taken is a conflict, and forcing replaces the other view`() {
        let (before, after) = (Views.State(items: [Self.work]), Views.State(items: [], nextID: 2))
        let other = SavedView(id: 2, name: "work", filter: "+job")
        let present = Views.State(items: [other])
        let reverted = Views.reverted(present, from: after, to: before)
        #expect(reverted.state.items.elements == [Self.work])
        #expect(reverted.conflicts == [Conflict("items[2]", expected: nil, found: other.value)])
        let free = Views.reverted(after, from: after, to: before)
        #expect(free.state.items.elements == [Self.work] && free.conflicts.isEmpty)
        var state = present
        for action in Views.compensatingActions(from: present, to: reverted.state) { _ = Views.reduce(&state, action, .test) }
        #expect(state.items.elements == [Self.work])
    }

    @Test(arguments: 0..<10 as Range<UInt64>) func `the laws of a feature hold`(seed: UInt64) {
        var dice = SeededGenerator(seed)
        let actions = (0..<40).map { _ -> Views.Action in
            let id = UInt64.random(in: 0...6, using: &dice)
            let text = ["", "a", "é", "e\u{301}", "\u{202E}", "a\u{0}b"].randomElement(using: &dice) ?? ""
            return switch Int.random(in: 0...4, using: &dice) {
            case 0: .change(id, filter: text, sort: text)
            case 1: .remove(id)
            case 2: .restore(TablePatch(removed: [id], placed: [.init(SavedView(id: id, name: text, filter: text), at: 3)]))
            case 3: .save(SavedView(name: text, filter: text))
            default: .save(SavedView(id: id, name: text, filter: text))
            }
        }
        checkLaws(of: Views.self, actions: actions)
    }

    @Test func `actions are encoded by name, and their bytes are stable`() throws {
        let pairs: [(Views.Action, Value, [UInt8])] = [
            (
                .save(SavedView(name: "a", filter: "+b")), ["save": ["name": "a", "filter": "+b"]],
                [5, 7, 9, 1, 97, 13, 2, 43, 98]
            ),
            (
                .change(3, filter: "x", sort: "id"), ["change": ["id": 3, "filter": "x", "sort": "id"]],
                [9, 9, 4, 3, 9, 1, 120, 13, 2, 105, 100]
            ),
            (.remove(300), ["remove": ["id": 300]], [13, 3, 4, 0xAC, 2]),
        ]
        for (action, value, bytes) in pairs {
            #expect(action.value == value)
            #expect(try Views.Action(value) == action)
            #expect(action.canonicalBytes == bytes)
        }
        #expect(Views.State().canonicalBytes.isEmpty)
        #expect(throws: ValueMismatch("save.filter", "this field is missing")) { try Views.Action(["save": ["name": "a"]]) }
    }

    @Test func `the view counts the views and shows each`() {
        #expect(
            Views.view(of: Views.State(items: [Self.home])) == [
                "count": 1, "rows": [["id": 2, "name": "home", "filter": "+home", "sort": "due"]],
            ])
    }

    private func refusal(of action: Views.Action, in state: Views.State = Views.State()) -> String? {
        Views.refusal(of: action, in: state)
    }
}
