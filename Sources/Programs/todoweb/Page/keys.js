// Keyboard shortcuts and their help. They are those of the screen of todoctl where the same thing exists.

import { openDialog } from './dialog.js';
import { h } from './dom.js';

const storageKey = 'todod.keys';

/// Handles keys that no control handles.
export function listenToKeys(context) {
  const keys = new Map(table(context).flatMap(([names, , ...does]) => names.split(' ').map((name, index) =>
    [longNames[name] ?? name, does[index % does.length]])));
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector('dialog[open]')) return;
    const { target } = event;
    const isTyping = target.matches?.('input:not([type=checkbox]), textarea, select');
    if (isTyping && event.key === 'Escape') target.blur();
    if (isTyping) return;
    // Arrows belong to trees and tabs, Space to buttons. Single-letter keys can be disabled.
    const isArrow = event.key.startsWith('Arrow');
    if (isArrow && target.closest?.('[role=tree], [role=tablist]')) return;
    if (event.key === ' ' && target.closest?.('button, input, summary, a')) return;
    if (event.key.length === 1 && !areOn()) return;
    const action = keys.get(event.shiftKey && isArrow ? `Shift-${event.key}` : event.key);
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}

const longNames = { '←': 'ArrowLeft', '→': 'ArrowRight', 'Shift-←': 'Shift-ArrowLeft', 'Shift-→': 'Shift-ArrowRight',
  'Esc': 'Escape', 'Space': ' ' };

// Rows: keys, what they do, and functions for the keys in turn.
function table({ model, actions }) {
  const travel = (kind) => [() => actions.travel(kind, -1), () => actions.travel(kind, 1)];
  const to = (selector) => () => document.querySelector(selector)?.focus();
  const panel = (name) => () => actions.openPanel(name);
  const tab = (name) => () => actions.openTab(name);
  return [
    ['← →', 'a step back in time, or on', ...travel('step')],
    ['[ ] Shift-← Shift-→', 'a day', ...travel('day')],
    [', .', 'a record', ...travel('record')],
    ['< >', 'to the previous or next change of the selection', ...travel('change')],
    ['g', 'to a moment: yesterday 9:00, 10 min ago, 65, a bookmark', to('#go')],
    ['Space', 'play from here, or pause', () => actions.play()],
    ['+ -', 'play faster or slower', () => actions.changeSpeed(1), () => actions.changeSpeed(-1)],
    ['Esc', 'back to now', () => actions.live()],
    ['r', 'in the past: restore this state, after a preview', () => actions.revert()],
    ['i', 'the record and the selection', panel('record')],
    ['w', 'the present without this record', () => actions.switchRecord()],
    ['u U', 'undo; redo, after a preview', () => actions.undoLast(), () => actions.redoLast()],
    ['b', 'the record that last set the selection', () => actions.blame()],
    ['d', 'pin a second handle and compare the two', () => actions.pin(model.pinned === model.moment ? null : model.moment)],
    ['m', 'set a bookmark at the moment', () => actions.bookmark()],
    ['/', 'filter the todos', () => { actions.openTab('todos'); to('#filter')(); }],
    ['a', 'dispatch an action', panel('dispatch')],
    ['l', 'search the log', to('#search')],
    ['1 2 3', 'the todos, the whole state, the difference', tab('todos'), tab('state'), tab('difference')],
    ['?', 'this help', () => showKeys({ model, actions })],
  ];
}

function areOn() { return localStorage.getItem(storageKey) !== 'off'; }

export function showKeys(context) {
  const list = h('dl', { class: 'keys' }, table(context).map(([key, what]) => [h('dt', {}, key), h('dd', {}, what)]));
  const box = h('input', { type: 'checkbox', checked: areOn(),
    onchange: () => localStorage.setItem(storageKey, box.checked ? 'on' : 'off') });
  openDialog({ title: 'Keys', lines: [list, h('label', {}, box, ' Single letters and signs are keys')] });
}
