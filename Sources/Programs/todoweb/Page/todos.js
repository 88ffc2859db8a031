// The todo list: editable in the present, read-only in the past.

import { refusalOf } from './ask.js';
import { fill, h } from './dom.js';
import { count } from './format.js';
import { painted } from './model.js';
import { newest, problem } from './panel.js';
import { editTodo } from './todoform.js';
import { VirtualList } from './virtual.js';
import { visible } from './visible.js';

const priorities = ['', 'low', 'medium', 'high'];
const tryMilliseconds = 150;
/// No row is wider.
const titleMax = 400;
/// If more rows changed at once, none is highlighted.
const markedMax = 12;

export function mountTodos(element, { model, actions }) {
  let rows = [];
  let items = null;
  let shownFor = '';
  let previous = [];
  let isPart = false;
  // The rows rebuilt in one drawing. `mayMark`: whether only few changed; null until known.
  let drawn = [];
  let mayMark = null;
  // The daemon's refusal of a title.
  let judged = { text: '', reason: '' };
  const question = newest({ pause: tryMilliseconds, onError: () => {}, run: async (signal, text) => {
    const refusal = await refusalOf(adding(text), { signal });
    judged = { text, reason: refusal === null ? '' : problem(refusal) };
    check();
  } });

  const title = h('input', { id: 'add', type: 'text', placeholder: 'Add a todo', ariaLabel: 'Title of a new todo',
    autocomplete: 'off', oninput: typed, 'aria-describedby': 'add-note' });
  const add = h('button', { type: 'submit', class: 'primary' }, 'Add');
  const note = h('p', { class: 'hint', id: 'add-note' });
  const form = h('form', { class: 'bar', onsubmit: submit }, title, add);
  const filter = h('input', { type: 'search', placeholder: 'Filter: words, #tag', ariaLabel: 'Filter the todos', oninput: () =>
    update() });
  const open = h('input', { type: 'checkbox', onchange: () => update() });
  const sum = h('span', { class: 'hint' });
  const none = h('p', { class: 'hint' });
  const list = new VirtualList({
    label: 'Todos', role: 'list', rowRole: 'listitem', rowHeight: 38, class: 'todos', key: (index) =>
      rows[index]?.id ?? `w${index}`, render,
  });
  list.element.addEventListener('keydown', keyed);
  fill(element, form, note, h('div', { class: 'bar' }, filter, h('label', { class: 'toggle' }, open, ' Open only'), sum), none,
    list.element);

  return update;

  function update() {
    const all = model.state.todos?.items ?? [];
    const face = JSON.stringify([filter.value, open.checked, model.live, model.readOnly, model.developer, model.isPartial,
      model.stateSequence < 0, selectedPath()]);
    check();
    if (all === items && face === shownFor) return;
    // Highlights the differences to the previous moment, and live changes.
    if (all !== items && !isPart) { previous = items ?? []; mayMark = null; }
    isPart = model.isPartial;
    items = all;
    shownFor = face;
    const wanted = filter.value.trim().toLowerCase().split(/\s+/).filter((word) => word !== '');
    rows = wanted.length === 0 && !open.checked ? all
      : all.filter((todo) => (!open.checked || todo.completed === undefined) && wanted.every((word) => has(todo, word)));
    const openCount = all.reduce((sum, todo) => sum + (todo.completed === undefined ? 1 : 0), 0);
    if (!model.isPartial) {
      const shown = rows.length === all.length ? '' : `; ${count(rows.length)} shown`;
      sum.textContent = `${count(openCount)} open, ${count(all.length - openCount)} done${shown}`;
    }
    none.textContent = rows.length > 0 || model.isPartial ? '' : nothing(all.length);
    const focused = list.element.contains(document.activeElement) ? document.activeElement : null;
    const left = focused?.closest('.todo');
    // A partially loaded list keeps its length, so that the scroll position stays.
    list.setCount(model.isPartial ? Math.max(rows.length, list.count) : rows.length);
    // If the focused todo was removed, focus the one in its place.
    if (left && rowOf(left.todo) < 0 && !model.isPartial) focus(Math.min(left.dataset.index, rows.length - 1), focused.dataset.part);
  }

  function nothing(many) {
    if (model.stateSequence < 0) return '';
    if (many > 0) return 'No todo is like that.';
    return model.live ? 'There is no todo yet.' : 'There was no todo at this moment.';
  }

  function focus(index, part) {
    if (index < 0) return title.focus();
    list.show(index);
    list.draw();
    list.node(rows[index].id)?.querySelector(`[data-part="${part}"]`)?.focus({ preventScroll: true });
  }

  function typed() {
    const text = title.value.trim();
    if (text !== '' && model.connection === 'up') question.ask(text); else question.stop();
    check();
  }

  function check() {
    const text = title.value.trim();
    const reason = model.readOnly ? 'This page is read-only.' : !model.live ? 'This is the past: nothing can be changed here.'
      : text !== '' && text === judged.text ? judged.reason : '';
    if (reason !== note.textContent) fill(note, reason);
    add.disabled = reason !== '' || text === '';
    title.readOnly = model.readOnly || !model.live;
  }

  async function submit(event) {
    event.preventDefault();
    check();
    if (add.disabled) return;
    const text = title.value.trim();
    const { answer } = await actions.dispatch(adding(text), `Added: ${visible(text, { max: 80 })}`);
    if (answer !== null && title.value.trim() === text) title.value = '';
    check();
  }

  function render(index, node) {
    const todo = rows[index];
    if (todo === undefined) return node ?? h('div', { class: 'todo hint' }, '…');
    const isSelected = pathOf(todo) === selectedPath();
    const face = `${model.live && !model.readOnly} ${model.developer} ${isSelected}`;
    if (node !== null && node.todo === todo && node.face === face) return node;
    const focused = node?.contains(document.activeElement) ? document.activeElement.dataset.part : null;
    node ??= h('div', { class: 'todo', onanimationend: (event) => event.currentTarget.classList.remove('flash') });
    Object.assign(node, { todo, face });
    const isFixed = !model.live || model.readOnly;
    const isDone = todo.completed !== undefined;
    const name = visible(todo.title, { max: 60 });
    const button = (part, sign, label, action) =>
      h('button', { type: 'button', dataPart: part, ariaLabel: `${label}: ${name}`, title: label, disabled: isFixed,
      onclick: action }, sign);
    const box = h('input', { type: 'checkbox', dataPart: 'box', checked: isDone, disabled: isFixed, ariaLabel: visible(todo.title),
      onchange: () => complete(todo, box) });
    fill(node, box,
      h('button', { type: 'button', class: 'todo-title', dataPart: 'title', title: visible(todo.title, { max: titleMax }), 'aria-current': isSelected ? 'true' : null,
        onclick: () => select(todo) },
        h('span', { class: 'id' }, todo.id), h('span', { class: 'text' }, visible(todo.title, { max: titleMax }))),
      todo.priority ? h('span', { class: `chip priority-${todo.priority}` }, priorities[todo.priority] ?? todo.priority) : null,
      (todo.tags ?? []).slice(0, 3).map((tag) => h('span', { class: 'chip tag' }, `#${visible(tag)}`)),
      todo.due === undefined ? null : h('time', { class: 'due', datetime: todo.due }, visible(todo.due.replace('T', ' '))),
      h('span', { class: 'todo-buttons' },
        button('edit', '✎', 'Edit', () => edit(todo, 'edit')),
        button('up', '↑', 'Move up', () => move(todo, -1)), button('down', '↓', 'Move down', () => move(todo, 1)),
        button('remove', '✕', 'Remove', () =>
          actions.dispatch([{ todos: { remove: { id: todo.id } } }], `Removed: ${visible(todo.title, { max: 80 })}`))));
    node.classList.toggle('done', isDone);
    node.classList.toggle('selected', isSelected);
    node.classList.remove('flash');
    if (previous.length > 0 && mayMark !== false) {
      if (drawn.length === 0) painted().then(mark);
      drawn.push({ node, todo, index });
    }
    if (focused !== null) node.querySelector(`[data-part="${focused}"]`)?.focus();
    return node;
  }

  // Computed after painting.
  function mark() {
    const changed = [];
    for (const { node, todo, index } of drawn) {
      if (node.todo !== todo || !node.isConnected) continue;
      const old = findTodo(previous, todo.id, index);
      if (old === todo || old !== undefined && JSON.stringify(old) === JSON.stringify(todo)) continue;
      if (changed.push(node) > markedMax) break;
    }
    drawn = [];
    mayMark ??= changed.length <= markedMax;
    if (mayMark) for (const node of changed) node.classList.add('flash');
  }

  function select(todo) {
    actions.select({ path: pathOf(todo), value: todo });
    actions.openPanel('blame', { focus: false });
  }

  function selectedPath() { return model.selection?.path ?? ''; }

  async function edit(todo, part) {
    await editTodo(todo, actions);
    if (document.activeElement === document.body && rowOf(todo) >= 0) focus(rowOf(todo), part);
  }

  async function complete(todo, box) {
    const isDone = box.checked;
    // The browser's day, from which the recurrence counts.
    const day = new Intl.DateTimeFormat('sv-SE').format(new Date());
    const action = isDone ? { complete: { id: todo.id, day } } : { reopen: { id: todo.id } };
    const { answer } = await actions.dispatch([{ todos: action }], `${isDone ? 'Done' : 'Reopened'}: ${visible(todo.title, { max: 80 })}`);
    // If it was refused, restore the checkbox.
    if (answer === null) box.checked = !isDone;
  }

  // It may have changed since the row was drawn.
  function rowOf({ id }) { return rows.findIndex((other) => other.id === id); }

  // Moves relative to the visible neighbour, regardless of hidden todos between them.
  function move(todo, way) {
    const neighbour = rows[rowOf(todo) + way];
    if (neighbour === undefined) return actions.say(way < 0 ? 'It is the first already.' : 'It is the last already.');
    const index = items.indexOf(neighbour);
    actions.dispatch([{ todos: { move: { id: todo.id, index } } }], `Moved: ${visible(todo.title, { max: 80 })}`);
  }

  // Up and down move the focus to the same control of the next row, or the todo with Alt.
  function keyed(event) {
    const part = event.target.dataset?.part;
    const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (part === undefined || event.ctrlKey || event.metaKey) return;
    const { todo } = event.target.closest('.todo');
    if (way !== undefined && event.altKey) move(todo, way);
    else if (way !== undefined) {
      const index = rowOf(todo) + way;
      if (index < 0 || index >= rows.length) return;
      focus(index, part);
    } else if (event.key === 'Delete' && actions.mayWrite()) {
      actions.dispatch([{ todos: { remove: { id: todo.id } } }], `Removed: ${visible(todo.title, { max: 80 })}`);
    } else if (event.key === 'F2' && actions.mayWrite()) {
      edit(todo, part);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

// Searches in both directions from the old position, because todos rarely move far.
function findTodo(todos, id, near) {
  for (let way = 0; way < todos.length; way++) {
    if (todos[near + way]?.id === id) return todos[near + way];
    if (todos[near - way]?.id === id) return todos[near - way];
    if (near + way >= todos.length && near - way < 0) return undefined;
  }
  return undefined;
}

function adding(title) { return [{ todos: { add: { items: [{ title }] } } }]; }

function pathOf({ id }) { return `todos.items[${id}]`; }

function has(todo, word) {
  if (word.startsWith('#')) return (todo.tags ?? []).some((tag) => tag.toLowerCase().startsWith(word.slice(1)));
  return todo.title.toLowerCase().includes(word) || String(todo.id) === word || (todo.note ?? '').toLowerCase().includes(word);
}
