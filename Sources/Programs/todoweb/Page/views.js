// What each feature shows: todos as a list that can be used, all others as the daemon describes their view.

import { isRecord } from './changes.js';
import { fill, h } from './dom.js';
import { count, short } from './format.js';
import { isShown } from './tabs.js';
import { mountTodos } from './todos.js';
import { VirtualList } from './virtual.js';
import { compact } from './visible.js';
import { call } from './wire.js';

export function mount(element, context) {
  const { model } = context;
  let current = null;
  const parts = new Map();
  const choice = h('div', { class: 'choice', role: 'group', ariaLabel: 'Features' });
  const place = h('div', { class: 'view' });
  const none = h('p', { class: 'hint' });
  fill(element, choice, none, place);
  model.on('connection', () => {
    none.textContent = model.connection === 'lost' && model.features.length === 0 ? 'Without its token this page can show no state.' : '';
  });
  element.addEventListener('shown', () => parts.get(current)?.update());
  model.on('features', () => {
    fill(choice, model.features.length < 2 ? null : model.features.map(({ name, title }) =>
      h('button', { type: 'button', 'aria-pressed': false, dataName: name, onclick: () => open(name) }, title)));
    fill(place);
    parts.clear();
    if (model.features.length > 0) open(model.features.some(({ name }) => name === current) ? current : model.features[0].name);
  });
  model.on(['state', 'isPartial', 'selection', 'developer', 'readOnly', 'live', 'connection'], () => { if (isShown(element)) parts.get(current)?.update(); });

  function open(name) {
    current = name;
    for (const button of choice.children) button.setAttribute('aria-pressed', String(button.dataset.name === name));
    if (!parts.has(name)) {
      const panel = h('div', { class: 'feature' });
      place.append(panel);
      const isTodos = name === 'todos' && Array.isArray(model.state.todos?.items ?? []);
      parts.set(name, { panel, update: isTodos ? mountTodos(panel, context) : mountView(panel, name, context) });
    }
    for (const [other, { panel }] of parts) panel.hidden = other !== name;
    parts.get(name).update();
  }
}

// Any view: its fields, then its lists. An app that is one feature is shown as its state.
function mountView(element, name, { model, actions }) {
  const fields = h('dl', { class: 'view-fields' });
  const lists = h('div', { class: 'view-lists' });
  const note = h('p', { class: 'hint' });
  fill(element, fields, lists, note, h('p', {},
    h('button', { type: 'button', onclick: () => actions.openPanel('forms') }, 'Dispatch…')));
  const shown = new Map();
  let wish = null;
  let asked = null;

  return function update() {
    if (model.stateSequence < 0) return;
    if (name === '') return show(model.state, '');
    const part = model.state[name];
    // What the feature shows comes of its state alone.
    if (asked !== null && asked === part || model.connection !== 'up') return;
    asked = part;
    wish?.abort();
    wish = new AbortController();
    const { signal } = wish;
    call('View', { feature: name, at: { sequence: model.stateSequence } }, { signal })
      .then(({ view }) => show(view, name),
        (error) => { if (error.name !== 'AbortError') { asked = null; note.textContent = error.message; } });
  };

  function show(view, path) {
    note.textContent = '';
    const scalars = Object.entries(view).filter(([, value]) => !isList(value));
    fill(fields, scalars.map(([key, value]) => [h('dt', {}, words(key)), h('dd', {}, face(value, key))]));
    const names = Object.entries(view).filter(([, value]) => isList(value));
    for (const [key, { element: old }] of shown) if (!names.some(([other]) => other === key)) { old.remove(); shown.delete(key); }
    for (const [key, rows] of names) {
      if (!shown.has(key)) shown.set(key, makeList(key, path));
      shown.get(key).set(rows);
    }
  }

  function makeList(key, path) {
    let rows = [];
    // The rows of a feature are what it is called.
    const called = key === 'rows' && path !== '' ? words(path) : words(key);
    const title = h('h3', {}, called);
    const list = new VirtualList({
      label: called, role: 'listbox', rowRole: 'option', rowHeight: 30, class: 'rows', key: (index) => index,
      onActive: (index) => { const id = rows[index]?.id;
        if (id !== undefined) actions.select({ path: pathOf(path, id, model), value: rows[index] }); },
      render: (index, node) => {
        node ??= h('div', {});
        if (node.row !== rows[index]) {
          node.row = rows[index];
          const values = isRecord(node.row) ? Object.entries(node.row) : [['', node.row]];
          fill(node, values.map(([name, value]) => value === false ? null
            : h('span', { class: `cell ${name === 'id' ? 'id' : ''}` }, name === 'id' ? `${value}` : value === true
            ? words(name) : face(value, name))));
        }
        node.setAttribute('aria-selected', String(index === list.active));
        return node;
      },
    });
    const part = h('section', { ariaLabel: called }, title, list.element);
    lists.append(part);
    return {
      element: part,
      set(next) {
        rows = next;
        title.textContent = rows.length === 0 ? `${called}: none` : `${called} (${count(rows.length)})`;
        list.element.hidden = rows.length === 0;
        list.element.style.blockSize = `${Math.min(Math.max(rows.length, 1), 14) * 30 + 2}px`;
        list.setCount(rows.length);
      },
    };
  }
}

function isList(value) { return Array.isArray(value); }

// A row of a view is an element of the state where that has a list with its id.
function pathOf(feature, id, model) {
  const state = model.state[feature] ?? {};
  const entry = Object.entries(state).find(([, value]) => Array.isArray(value) && value.some((element) => element?.id === id));
  if (entry === undefined) return feature;
  return `${feature}.${entry[0]}[${typeof id === 'number' ? id : JSON.stringify(id)}]`;
}

// The name of its field tells a time from a number.
function face(value, name) { return typeof value === 'string' ? value : value !== null && typeof value === 'object' ? short(value, 120)
  : compact(value, name); }

// "moreEnabled" for people.
function words(name) {
  const spaced = name.replace(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`);
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
