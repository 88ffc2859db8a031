// The state as a tree. Branches stay open while the moment changes, and what the shown record changed is marked.

import { isRecord, pathBelow, valueAt } from './changes.js';
import { fill, h } from './dom.js';
import { cut, plural } from './format.js';
import { changePath } from './sentence.js';
import { isShown } from './tabs.js';
import { VirtualList } from './virtual.js';
import { compact } from './visible.js';

export function mountTree(element, { model, actions }) {
  const open = new Set(['']);
  let rows = [];
  let marks = new Map();

  const list = new VirtualList({
    label: 'State', role: 'tree', rowRole: 'treeitem', rowHeight: 26, class: 'tree',
    key: (index) => rows[index].path || '.', render,
    onActive: (index) => actions.selectPath(rows[index].path),
    onEnter: (index) => toggle(index),
    onClick: (index, event) => { if (event.target.closest('.twist') !== null || event.detail === 2) toggle(index); },
  });
  list.element.addEventListener('keydown', keyed);
  const filter = h('input', { type: 'search', placeholder: 'Go to a path: todos.items[12].title', ariaLabel: 'Go to a path',
    spellcheck: 'false', onchange: () => reveal(filter.value.trim()) });
  fill(element, h('div', { class: 'bar' }, filter), list.element);
  element.addEventListener('shown', update);
  model.on(['state', 'isPartial'], update);
  model.on('shown', () => { marks = marksOf(model.shown?.changes ?? []); list.refresh(); });
  model.on('path', () => { filter.value = model.path ?? ''; list.refresh(); });

  function update() {
    if (!isShown(element) || model.isPartial && !list.isAtTop) return;
    if (open.size === 1) for (const key of Object.keys(model.state)) if (isRecord(model.state[key])) open.add(key);
    flatten();
  }

  function flatten() {
    rows = [];
    walk(model.state, '', 1);
    list.setCount(rows.length);
  }

  function walk(parent, parentPath, level) {
    for (const key of Array.isArray(parent) ? parent.keys() : Object.keys(parent)) {
      const path = pathBelow(parentPath, parent, key);
      rows.push({ parent, key, level, value: parent[key], path, parentPath });
      if (open.has(path) && isBranch(parent[key])) walk(parent[key], path, level + 1);
    }
  }

  function render(index, node) {
    const { parent, key, level, value, path } = rows[index];
    node ??= h('div', {});
    const isOpen = open.has(path);
    const branch = isBranch(value);
    const change = marks.get(path) ?? '';
    const isSelected = model.path === path;
    if (node.value !== value || node.isOpen !== isOpen || node.change !== change || node.level !== level) {
      Object.assign(node, { value, isOpen, change, level });
      const name = Array.isArray(parent) ? (value?.id !== undefined ? String(value.id) : `@${key}`) : key;
      const form = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
      fill(node,
        h('span', { class: 'twist', 'aria-hidden': 'true' }, branch ? (isOpen ? '▾' : '▸') : ''),
        h('span', { class: 'name' }, name),
        h('span', { class: `value ${form}` }, inLine(value)),
        change === '' ? null : h('span', { class: 'chip change' }, change));
      node.style.paddingInlineStart = `${(level - 1) * 1.1 + 0.2}rem`;
      node.setAttribute('aria-level', level);
      if (branch) node.setAttribute('aria-expanded', String(isOpen)); else node.removeAttribute('aria-expanded');
      node.classList.toggle('changed', change !== '');
    }
    node.setAttribute('aria-selected', String(isSelected));
    return node;
  }

  function toggle(index) {
    const { path, value } = rows[index];
    if (!isBranch(value)) return;
    if (open.has(path)) open.delete(path); else open.add(path);
    flatten();
  }

  function keyed(event) {
    if (list.active < 0 || event.ctrlKey || event.altKey || event.metaKey) return;
    const { path, value, parentPath } = rows[list.active];
    if (event.key === 'ArrowRight' && isBranch(value) && !open.has(path)) toggle(list.active);
    else if (event.key === 'ArrowRight' && isBranch(value)) list.setActive(list.active + 1);
    else if (event.key === 'ArrowLeft' && open.has(path)) toggle(list.active);
    else if (event.key === 'ArrowLeft' && parentPath !== '') list.setActive(indexOf(parentPath));
    else if (event.key === ' ') toggle(list.active);
    else if (!event.key.startsWith('Arrow')) return;
    event.preventDefault();
    event.stopPropagation();
  }

  function indexOf(path) { return rows.findIndex((row) => row.path === path); }

  function reveal(path) {
    if (path === '') return;
    if (valueAt(model.state, path) === undefined) return actions.say(`There is no ${path} at this moment.`, { error: true });
    for (const above of pathsAbove(path)) open.add(above);
    flatten();
    const index = indexOf(path);
    if (index >= 0) { list.setActive(index); list.element.focus(); }
  }
}

function isBranch(value) { return value !== null && typeof value === 'object' && Object.keys(value).length > 0; }

function inLine(value) {
  if (typeof value === 'string') return JSON.stringify(value);
  return Array.isArray(value) ? plural(value.length, 'element') : cut(compact(value), 100);
}

function pathsAbove(path) { return [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index)); }

// The changed paths with a word for each, and `changed` for the paths above them.
function marksOf(changes) {
  const marks = new Map();
  const mark = (path, word) => {
    for (const above of pathsAbove(path)) marks.set(above, 'changed');
    if (path !== '') marks.set(path, word);
  };
  for (const change of changes) {
    const { path, kind, old = {}, new: now = {} } = change;
    const whole = kind === 'set' ? path : changePath(change);
    if (kind === 'remove') { mark(path, 'changed'); continue; }
    if (kind !== 'set') mark(whole, { insert: 'new', move: 'moved' }[kind] ?? 'changed');
    if (kind === 'insert') continue;
    for (const name of Object.keys(now)) {
      if (JSON.stringify(old[name]) !== JSON.stringify(now[name])) {
        mark(pathBelow(whole, now, name), old[name] === undefined ? 'new' : `was ${cut(inLine(old[name]), 40)}`);
      }
    }
  }
  return marks;
}
