// Written by todoctl export --as-test 21..40.
// swift-format-ignore-file

import FeatureApp
import ChronicleTesting
import Testing

/// What the reducers did in a real history, and must go on doing. It belongs into Tests/FeatureAppTests.
@Suite struct RecordedHistory21To40 {
    @Test func `records 21 to 40 change what they changed, and ask for what they asked for`() throws {
        let store = try TestStore(
            recorded: ##"""
                {
                  "todos": {
                    "items": [
                      {"id":9,"title":"something that is being written","created":1795328170171931},
                      {"id":8,"title":"Why a log and not a table","created":1795328169895140},
                      {"id":5,"title":"Buy the milk","created":1795328166774544},
                      {"id":6,"title":"Take my dog","created":1795328166774544},
                      {"id":7,"title":"Rent a car","created":1795328166774544},
                      {"id":4,"title":"A secret that will be redacted","created":1795328164718030},
                      {"id":3,"title":"Bücher zurückbringen 📚","created":1795328164697560},
                      {"id":2,"title":"Rent a van","priority":2,"created":1795328164680265},
                      {"id":1,"title":"Buy the milk","tags":["home"],"due":"2026-12-01","created":1795328164662259,"completed":1795328164749096}
                    ],
                    "draft": "",
                    "loading": false,
                    "nextID": 10
                  },
                  "counter": {
                    "count": 1
                  },
                  "alerts": {
                    "items": [],
                    "nextID": 1
                  },
                  "posts": {
                    "items": [
                      {"id":1,"key":"bundled-26","title":"Why a log and not a table","link":"https://example.org/posts/26","summary":"What happened can be asked again later; what is overwritten can't.","published":1769428800000000},
                      {"id":2,"key":"bundled-25","title":"Water the plants before the holidays","link":"https://example.org/posts/25","summary":"Three days before, not on the last evening.","published":1769342400000000},
                      {"id":3,"key":"bundled-24","title":"State is a fold","link":"https://example.org/posts/24","summary":"Begin with nothing, apply one action after another, and you are where you are.","published":1769256000000000},
                      {"id":4,"key":"bundled-23","title":"A list for the week","link":"https://example.org/posts/23","summary":"Seven lines, one a day, and the courage to leave one empty.","published":1769169600000000},
                      {"id":5,"key":"bundled-22","title":"What a reducer must not do","link":"https://example.org/posts/22","summary":"Read a clock, roll a die, fail.","published":1769083200000000},
                      {"id":6,"key":"bundled-21","title":"Sharpen the kitchen knives","link":"https://example.org/posts/21","summary":"A whetstone, water, ten minutes.","published":1768996800000000},
                      {"id":7,"key":"bundled-20","title":"Commands are plain data","link":"https://example.org/posts/20","summary":"They can be printed, compared, kept, and tried again.","published":1768910400000000},
                      {"id":8,"key":"bundled-19","title":"The smallest thing that works","link":"https://example.org/posts/19","summary":"Then the next one.","published":1768824000000000},
                      {"id":9,"key":"bundled-18","title":"Group commit","link":"https://example.org/posts/18","summary":"Everyone who waits pays for one flush of the disk together.","published":1768737600000000},
                      {"id":10,"key":"bundled-17","title":"Bake bread on Sunday","link":"https://example.org/posts/17","summary":"Flour, water, salt, time.","published":1768651200000000},
                      {"id":11,"key":"bundled-16","title":"An id is for ever","link":"https://example.org/posts/16","summary":"A number that was given away never comes back for something else.","published":1768564800000000},
                      {"id":12,"key":"bundled-15","title":"Two-minute jobs","link":"https://example.org/posts/15","summary":"What takes less time than writing it down is done at once.","published":1768478400000000},
                      {"id":13,"key":"bundled-14","title":"Unix sockets are underrated","link":"https://example.org/posts/14","summary":"No port, no password, and the kernel says who calls.","published":1768392000000000},
                      {"id":14,"key":"bundled-13","title":"Read one chapter before sleeping","link":"https://example.org/posts/13","summary":"Paper, not glass.","published":1768305600000000},
                      {"id":15,"key":"bundled-12","title":"The trouble with time","link":"https://example.org/posts/12","summary":"It goes backwards, stands still and jumps; a sequence does none of it.","published":1768219200000000},
                      {"id":16,"key":"bundled-11","title":"Call an old friend","link":"https://example.org/posts/11","summary":"Not tomorrow.","published":1768132800000000},
                      {"id":17,"key":"bundled-10","title":"Undo is a new action","link":"https://example.org/posts/10","summary":"The past stays as it was; the present changes.","published":1768046400000000},
                      {"id":18,"key":"bundled-9","title":"Repair the bicycle lamp","link":"https://example.org/posts/9","summary":"The bulb, the cable, or the dynamo, in this order.","published":1767960000000000}
                    ],
                    "nextPage": 3,
                    "loading": false,
                    "nextID": 19
                  },
                  "stars": {
                    "items": {}
                  },
                  "repositories": {
                    "language": "Swift",
                    "languages": [
                      "Swift",
                      "Objective-C",
                      "Java",
                      "C",
                      "C++",
                      "Python",
                      "C#"
                    ],
                    "items": [],
                    "loading": false,
                    "isLive": false
                  },
                  "flows": {
                    "items": [],
                    "nextID": 1
                  },
                  "views": {
                    "items": [],
                    "nextID": 1
                  }
                }
                """##, of: App.self)
        store.fold(
            21, #"{"stars":{"staring":{"id":"swift"}}}"#,
            time: 1795328170197596, origin: 0, asking: [
                #"stars.star {"id":"swift"}"#,
            ],
            changing: [
                #"+ stars.items.swift: {"phase":"staring","starCount":0}"#,
            ])
        // result of what record 21 asked for
        store.fold(
            22, #"{"stars":{"starred":{"id":"swift"}}}"#,
            time: 1795328171222113, origin: 0,
            changing: [
                #"- stars.items.swift: {"phase":"staring","starCount":0}"#,
                #"+ stars.items.swift: {"phase":"star","starCount":1}"#,
            ])
        store.fold(
            23, #"{"stars":{"staring":{"id":"vapor"}}}"#,
            time: 1795328172222471, origin: 0, asking: [
                #"stars.star {"id":"vapor"}"#,
            ],
            changing: [
                #"+ stars.items.vapor: {"phase":"staring","starCount":0}"#,
            ])
        // result of what record 23 asked for
        store.fold(
            24, #"{"stars":{"starred":{"id":"vapor"}}}"#,
            time: 1795328173233480, origin: 0,
            changing: [
                #"- stars.items.vapor: {"phase":"staring","starCount":0}"#,
                #"+ stars.items.vapor: {"phase":"star","starCount":1}"#,
            ])
        store.fold(
            25, #"{"stars":{"unstaring":{"id":"vapor"}}}"#,
            time: 1795328174238932, origin: 0, asking: [
                #"stars.unstar {"id":"vapor"}"#,
            ],
            changing: [
                #"- stars.items.vapor: {"phase":"star","starCount":1}"#,
                #"+ stars.items.vapor: {"phase":"unstaring","starCount":1}"#,
            ])
        // result of what record 25 asked for
        store.fold(
            26, #"{"stars":{"unstarred":{"id":"vapor"}}}"#,
            time: 1795328175242236, origin: 0,
            changing: [
                #"- stars.items.vapor: {"phase":"unstaring","starCount":1}"#,
            ])
        store.fold(
            27, #"{"repositories":{"reload":{}}}"#,
            time: 1795328176262118, origin: 0, asking: [
                #"repositories.fetch {"language":"Swift"}"#,
            ],
            changing: [
                #"- repositories.loading: false"#,
                #"+ repositories.loading: true"#,
                #"- repositories.isLive: false"#,
                #"+ repositories.isLive: true"#,
            ])
        // result of what record 27 asked for
        store.fold(
            28, #"{"repositories":{"loaded":{"language":"Swift","items":[{"id":101,"fullName":"vsouza/awesome-ios","description":"A curated list of awesome iOS ecosystem","url":"https://github.com/vsouza/awesome-ios","stars":48300},{"id":102,"fullName":"Alamofire/Alamofire","description":"Elegant HTTP networking in Swift","url":"https://github.com/Alamofire/Alamofire","stars":42000},{"id":103,"fullName":"exelban/stats","description":"macOS system monitor in your menu bar","url":"https://github.com/exelban/stats","stars":31600},{"id":104,"fullName":"vapor/vapor","description":"A server-side Swift HTTP web framework","url":"https://github.com/vapor/vapor","stars":25200},{"id":105,"fullName":"ReactiveX/RxSwift","description":"Reactive programming in Swift","url":"https://github.com/ReactiveX/RxSwift","stars":24500},{"id":106,"fullName":"realm/SwiftLint","description":"A tool to enforce Swift style and conventions","url":"https://github.com/realm/SwiftLint","stars":19000},{"id":107,"fullName":"pointfreeco/swift-composable-architecture","description":"Build applications in a consistent way, with tests in mind","url":"https://github.com/pointfreeco/swift-composable-architecture","stars":13500},{"id":108,"fullName":"apple/swift-nio","description":"Event-driven network application framework","url":"https://github.com/apple/swift-nio","stars":8200}]}}}"#,
            time: 1795328177278018, origin: 0,
            changing: [
                #"+ repositories.items[0] {"id":101,"fullName":"vsouza/awesome-ios","description":"A curated list of awesome iOS ecosystem","url":"https://github.com/vsouza/awesome-ios","stars":48300}"#,
                #"+ repositories.items[1] {"id":102,"fullName":"Alamofire/Alamofire","description":"Elegant HTTP networking in Swift","url":"https://github.com/Alamofire/Alamofire","stars":42000}"#,
                #"+ repositories.items[2] {"id":103,"fullName":"exelban/stats","description":"macOS system monitor in your menu bar","url":"https://github.com/exelban/stats","stars":31600}"#,
                #"+ repositories.items[3] {"id":104,"fullName":"vapor/vapor","description":"A server-side Swift HTTP web framework","url":"https://github.com/vapor/vapor","stars":25200}"#,
                #"+ repositories.items[4] {"id":105,"fullName":"ReactiveX/RxSwift","description":"Reactive programming in Swift","url":"https://github.com/ReactiveX/RxSwift","stars":24500}"#,
                #"+ repositories.items[5] {"id":106,"fullName":"realm/SwiftLint","description":"A tool to enforce Swift style and conventions","url":"https://github.com/realm/SwiftLint","stars":19000}"#,
                #"+ repositories.items[6] {"id":107,"fullName":"pointfreeco/swift-composable-architecture","description":"Build applications in a consistent way, with tests in mind","url":"https://github.com/pointfreeco/swift-composable-architecture","stars":13500}"#,
                #"+ repositories.items[7] {"id":108,"fullName":"apple/swift-nio","description":"Event-driven network application framework","url":"https://github.com/apple/swift-nio","stars":8200}"#,
                #"- repositories.loading: true"#,
                #"+ repositories.loading: false"#,
            ])
        store.fold(
            29, #"{"repositories":{"setLanguage":{"language":"C++"}}}"#,
            time: 1795328177299413, origin: 0, asking: [
                #"repositories.fetch {"language":"C++"}"#,
            ],
            changing: [
                #"- repositories.language: "Swift""#,
                #"+ repositories.language: "C++""#,
                #"- repositories.loading: false"#,
                #"+ repositories.loading: true"#,
            ])
        // result of what record 29 asked for
        store.fold(
            30, #"{"repositories":{"loaded":{"language":"C++","items":[{"id":501,"fullName":"tensorflow/tensorflow","description":"Machine learning for everyone","url":"https://github.com/tensorflow/tensorflow","stars":188000},{"id":502,"fullName":"electron/electron","description":"Build cross-platform desktop applications with web technologies","url":"https://github.com/electron/electron","stars":115000},{"id":503,"fullName":"bitcoin/bitcoin","description":"Integration and staging tree","url":"https://github.com/bitcoin/bitcoin","stars":81000},{"id":504,"fullName":"opencv/opencv","description":"Open source computer vision library","url":"https://github.com/opencv/opencv","stars":80500},{"id":505,"fullName":"nlohmann/json","description":"JSON for modern C++","url":"https://github.com/nlohmann/json","stars":44500},{"id":506,"fullName":"facebook/rocksdb","description":"An embeddable, persistent key-value store for fast storage","url":"https://github.com/facebook/rocksdb","stars":29500}]}}}"#,
            time: 1795328178311589, origin: 0,
            changing: [
                #"- repositories.items[7] {"id":108,"fullName":"apple/swift-nio","description":"Event-driven network application framework","url":"https://github.com/apple/swift-nio","stars":8200}"#,
                #"- repositories.items[6] {"id":107,"fullName":"pointfreeco/swift-composable-architecture","description":"Build applications in a consistent way, with tests in mind","url":"https://github.com/pointfreeco/swift-composable-architecture","stars":13500}"#,
                #"- repositories.items[5] {"id":106,"fullName":"realm/SwiftLint","description":"A tool to enforce Swift style and conventions","url":"https://github.com/realm/SwiftLint","stars":19000}"#,
                #"- repositories.items[4] {"id":105,"fullName":"ReactiveX/RxSwift","description":"Reactive programming in Swift","url":"https://github.com/ReactiveX/RxSwift","stars":24500}"#,
                #"- repositories.items[3] {"id":104,"fullName":"vapor/vapor","description":"A server-side Swift HTTP web framework","url":"https://github.com/vapor/vapor","stars":25200}"#,
                #"- repositories.items[2] {"id":103,"fullName":"exelban/stats","description":"macOS system monitor in your menu bar","url":"https://github.com/exelban/stats","stars":31600}"#,
                #"- repositories.items[1] {"id":102,"fullName":"Alamofire/Alamofire","description":"Elegant HTTP networking in Swift","url":"https://github.com/Alamofire/Alamofire","stars":42000}"#,
                #"- repositories.items[0] {"id":101,"fullName":"vsouza/awesome-ios","description":"A curated list of awesome iOS ecosystem","url":"https://github.com/vsouza/awesome-ios","stars":48300}"#,
                #"+ repositories.items[0] {"id":501,"fullName":"tensorflow/tensorflow","description":"Machine learning for everyone","url":"https://github.com/tensorflow/tensorflow","stars":188000}"#,
                #"+ repositories.items[1] {"id":502,"fullName":"electron/electron","description":"Build cross-platform desktop applications with web technologies","url":"https://github.com/electron/electron","stars":115000}"#,
                #"+ repositories.items[2] {"id":503,"fullName":"bitcoin/bitcoin","description":"Integration and staging tree","url":"https://github.com/bitcoin/bitcoin","stars":81000}"#,
                #"+ repositories.items[3] {"id":504,"fullName":"opencv/opencv","description":"Open source computer vision library","url":"https://github.com/opencv/opencv","stars":80500}"#,
                #"+ repositories.items[4] {"id":505,"fullName":"nlohmann/json","description":"JSON for modern C++","url":"https://github.com/nlohmann/json","stars":44500}"#,
                #"+ repositories.items[5] {"id":506,"fullName":"facebook/rocksdb","description":"An embeddable, persistent key-value store for fast storage","url":"https://github.com/facebook/rocksdb","stars":29500}"#,
                #"- repositories.loading: true"#,
                #"+ repositories.loading: false"#,
            ])
        // 31: bookmark
        store.fold(
            32, #"{"todos":{"add":{"items":[{"id":10,"title":"⟨redacted⟩","created":1795328178366086}]}}}"#,
            time: 1795328178366086, origin: 0,
            changing: [
                #"+ todos.items[0] {"id":10,"title":"⟨redacted⟩","created":1795328178366086}"#,
                #"- todos.nextID: 10"#,
                #"+ todos.nextID: 11"#,
            ])
        store.fold(
            33, #"{"todos":{"remove":{"id":3}}}"#,
            time: 1795328178378129, origin: 0,
            changing: [
                #"- todos.items[7] {"id":3,"title":"Bücher zurückbringen 📚","created":1795328164697560}"#,
            ])
        store.fold(
            34, #"{"todos":{"putBack":{"items":[{"todo":{"id":3,"title":"Bücher zurückbringen 📚","created":1795328164697560},"index":7}]}}}"#,
            time: 1795328178395454, origin: 0,
            changing: [
                #"+ todos.items[7] {"id":3,"title":"Bücher zurückbringen 📚","created":1795328164697560}"#,
            ])
        store.fold(
            35, #"{"todos":{"remove":{"id":3}}}"#,
            time: 1795328178405661, origin: 0,
            changing: [
                #"- todos.items[7] {"id":3,"title":"Bücher zurückbringen 📚","created":1795328164697560}"#,
            ])
        store.fold(
            36, #"{"todos":{"putBack":{"items":[{"todo":{"id":3,"title":"Bücher zurückbringen 📚","created":1795328164697560},"index":7}]}}}"#,
            time: 1795328178427800, origin: 0,
            changing: [
                #"+ todos.items[7] {"id":3,"title":"Bücher zurückbringen 📚","created":1795328164697560}"#,
            ])
        store.fold(
            37, #"{"todos":{"edit":{"id":10,"priority":1}}}"#,
            time: 1795328178455385, origin: 0,
            changing: [
                #"- todos.items[0] {"id":10,"title":"⟨redacted⟩","created":1795328178366086}"#,
                #"+ todos.items[0] {"id":10,"title":"⟨redacted⟩","priority":1,"created":1795328178366086}"#,
            ])
        store.fold(
            38, ##"{"flows":{"started":{"id":1,"kind":"language","options":["Swift","Objective-C","Java","C","C++","Python","C#"]}}}"##,
            time: 1795328178484419, origin: 0,
            changing: [
                ##"+ flows.items[0] {"id":1,"kind":"language","options":["Swift","Objective-C","Java","C","C++","Python","C#"]}"##,
                #"- flows.nextID: 1"#,
                #"+ flows.nextID: 2"#,
            ])
        store.fold(
            39, #"{"repositories":{"loadLanguages":{}}}"#,
            time: 1795328178484420, origin: 0, asking: [
                #"repositories.languages {}"#,
            ],
            changing: [])
        // 40: end, result
        store.finish()
    }
}
