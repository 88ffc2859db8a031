// Labels for todod's features, all optional: without them names are shown.

/// By feature:
/// - `called`: the title of its rows. `main`: the field that describes a row; `sign(row)`: its prefix; `hides`: redundant fields.
/// - `words`: labels of actions, also as functions of the row; null hides an action.
/// - `more`: additional actions `[label, action]`; `ofRow(row, state)`: the same for a row.
/// - `question(row)`: the question of a row.
const own = {
  counter: { words: { increment: '+ 1', decrement: '− 1', reset: 'Back to 0' } },
  alerts: { main: 'text', hides: ['count'], sign: () => '!', words: { dismissAll: 'Dismiss all' } },
  posts: { main: 'title', words: { more: 'Fetch more', add: 'Make a todo of it' } },
  stars: {
    main: 'id', hides: ['phase', 'starCount'], sign: star,
    words: { press: (row) => row === undefined ? 'Press the star' : pressing(row), staring: null, unstaring: null },
  },
  repositories: {
    main: 'name', words: { reload: 'Fetch', browse: 'Show', setLanguage: null, loadLanguages: null, open: null },
    more: [['Ask me for a language', { flows: { start: { kind: 'language' } } }]],
    ofRow: (row, state) => [[pressing(starOf(row, state)), { stars: { press: { id: row.name } } }]],
    sign: (row, state) => star(starOf(row, state)),
  },
  flows: {
    called: 'Questions', main: 'kind', hides: ['parent'], words: { start: null }, question: (row) => `Which ${row.kind}?`,
    more: [['Ask me for a language', { flows: { start: { kind: 'language' } } }],
      ['Start again', { flows: { start: { kind: 'root' } } }]],
  },
  views: { main: 'name', hides: ['count'], words: { change: null } },
};

export function wordsOf(feature) { return { hides: [], words: {}, more: [], ofRow: () => [], ...own[feature] }; }

function star({ starCount = 0 } = {}) { return starCount > 0 ? '★' : '☆'; }

function pressing({ starCount = 0 } = {}) { return starCount > 0 ? 'Remove the star' : 'Give a star'; }

function starOf({ name }, state) {
  const items = state.stars?.items;
  return Array.isArray(items) ? items.find(({ id }) => id === name) : items?.[name];
}
