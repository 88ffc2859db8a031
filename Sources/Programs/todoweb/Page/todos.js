// The todos of the shown moment, for reading. The ones that the shown record changed are marked.

import { fill, h } from './dom.js';
import { count } from './format.js';
import { isShown } from './tabs.js';
import { VirtualList } from './virtual.js';
import { priorityName, visible } from './visible.js';

/// No row is wider.
const titleMax = 400;
const nothing = [];

export function mountTodos(element, { model, actions }) {
  let rows = [];
  let changed = new Set();
  let drawnFor = [];
  const filter = h('input', { id: 'filter', type: 'search', placeholder: 'Filter: words, #tag', ariaLabel: 'Filter the todos',
    oninput: update });
  const sum = h('span', { class: 'hint' });
  const none = h('p', { class: 'hint' });
  const list = new VirtualList({
    label: 'Todos', role: 'listbox', rowRole: 'option', rowHeight: 34, class: 'todos',
    key: (index) => rows[index]?.id ?? `w${index}`,
    onActive: (index) => { if (rows[index] !== undefined) actions.selectPath(pathOf(rows[index])); }, render,
  });
  fill(element, h('div', { class: 'bar' }, filter, sum), none, list.element);
  element.addEventListener('shown', update);
  model.on(['state', 'shown', 'isPartial', 'path', 'connection', 'stateSequence'], update);

  function update() {
    if (!isShown(element)) return;
    const all = Array.isArray(model.state.todos?.items) ? model.state.todos.items : nothing;
    const wanted = filter.value.trim().toLowerCase().split(/\s+/).filter((word) => word !== '');
    const face = [all, model.shown, model.isPartial, model.path, model.stateSequence < 0, model.connection, wanted.join(' ')];
    if (face.every((value, index) => value === drawnFor[index])) return;
    const isOtherRecord = model.shown !== null && model.shown !== drawnFor[1];
    drawnFor = face;
    rows = wanted.length === 0 ? all : all.filter((todo) => wanted.every((word) => has(todo, word)));
    const changes = (model.shown?.changes ?? []).filter(({ path }) => path === 'todos.items');
    changed = new Set(changes.map(({ id }) => id));
    const open = all.reduce((many, todo) => many + (todo.completed === undefined ? 1 : 0), 0);
    if (!model.isPartial) {
      const shown = rows.length === all.length ? '' : `; ${count(rows.length)} shown`;
      sum.textContent = `${count(open)} open, ${count(all.length - open)} done${shown}`;
    }
    fill(none, rows.length > 0 || model.isPartial ? '' : nothingFor(all.length));
    // A partially loaded list keeps its length, so that the scroll position stays.
    list.setCount(model.isPartial ? Math.max(rows.length, list.count) : rows.length);
    // In the present the user may be reading elsewhere.
    if (isOtherRecord && !model.live && changes.length > 0) reveal(changes[0]);
  }

  function nothingFor(many) {
    if (model.stateSequence < 0) return model.connection === 'lost' ? 'Without its token this page can show no state.' : '';
    if (many > 0) return 'No todo matches.';
    return model.live ? 'There are no todos yet.' : 'There were no todos at this moment.';
  }

  // Scrolls to the first changed todo, or to the place of a removed one.
  function reveal({ at = 0 }) {
    const index = rows.findIndex(({ id }) => changed.has(id));
    if (rows.length > 0) list.show(index < 0 ? Math.min(at, rows.length - 1) : index, { center: true });
  }

  function render(index, node) {
    const todo = rows[index];
    node ??= h('div', { class: 'todo' });
    if (node.todo !== todo) { node.todo = todo; fill(node, todo === undefined ? '…' : parts(todo)); }
    node.setAttribute('aria-selected', String(todo !== undefined && model.path === pathOf(todo)));
    node.classList.toggle('done', todo?.completed !== undefined);
    node.classList.toggle('changed', changed.has(todo?.id));
    return node;
  }
}

function pathOf({ id }) { return `todos.items[${id}]`; }

function has(todo, word) {
  if (word.startsWith('#')) return (todo.tags ?? []).some((tag) => tag.toLowerCase().startsWith(word.slice(1)));
  return todo.title.toLowerCase().includes(word) || String(todo.id) === word || (todo.note ?? '').toLowerCase().includes(word);
}

function parts(todo) {
  const title = visible(todo.title, { max: titleMax });
  const isDone = todo.completed !== undefined;
  return [
    h('span', { class: 'box', role: 'img', ariaLabel: isDone ? 'done' : 'open' }, isDone ? '☑' : '☐'),
    h('span', { class: 'id' }, todo.id), h('span', { class: 'text', title }, title),
    todo.priority ? h('span', { class: `chip priority-${todo.priority}` }, priorityName(todo.priority)) : null,
    (todo.tags ?? []).slice(0, 3).map((tag) => h('span', { class: 'chip tag' }, `#${visible(tag)}`)),
    todo.due === undefined ? null : h('time', { class: 'due', datetime: todo.due }, visible(todo.due.replace('T', ' '))),
  ];
}
