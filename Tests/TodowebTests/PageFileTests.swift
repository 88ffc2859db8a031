import Testing

@testable import todoweb

@Suite struct PageFileTests {
}
