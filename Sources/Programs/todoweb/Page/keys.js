// Keyboard shortcuts and their help.

import { switchRecord } from './alterations.js';
import { openDialog } from './dialog.js';
import { h } from './dom.js';
import { shownRecord } from './panel.js';

const storageKey = 'todod.keys';

const table = [
  ['← →', 'one record back or on (also , and .)'], ['< >', 'one step back or on (also Shift with ← →)'],
    ['{ }', 'one day back or on'],
  ['n N', 'the next or the last change of the selected value'], ['g', 'go to a moment in words'], ['Esc', 'back to now'],
  ['p', 'play, or pause'], ['m', 'bookmark this moment'], ['d', 'pin this moment, to compare with it'],
  ['/', 'search the log'], ['l s k', 'to the log, the state, the knowledge'],
    ['v t f j', 'view, state as a tree, difference, JSON'],
  ['a', 'add a todo'], ['i', 'why this record is there'], ['b', 'who set this value'],
  ['w', 'what if this record had not been, or had'],
  ['x', 'dispatch an action'], ['u', 'undo and redo'], ['r', 'revert to this moment'],
    ['c', 'find where a condition came true'], ['?', 'this help'],
];

/// Handles keys that no control handles.
export function listenToKeys({ model, actions }) {
  const step = (kind, way) => () => actions.travel(kind, way);
  const panel = (name) => () => actions.openPanel(name);
  const to = (selector) => () => document.querySelector(selector)?.focus();
  const keys = {
    'ArrowLeft': step('record', -1), 'ArrowRight': step('record', 1), ',': step('record', -1), '.': step('record', 1),
    'Shift+ArrowLeft': step('step', -1), 'Shift+ArrowRight': step('step', 1), '<': step('step', -1), '>': step('step', 1),
    '{': step('day', -1), '}': step('day', 1), 'n': step('change', 1), 'N': step('change', -1),
    'g': to('#go'), 'p': () => actions.play(), 'm': () => actions.bookmark(), 'd': () =>
      actions.pin(model.pinned === model.moment ? null : model.moment),
    '/': to('#search'), 'l': to('#log .virtual'), 's': to('#middle [role=tab][aria-selected=true]'),
      'k': to('#knowledge [role=tab][aria-selected=true]'),
    'v': () => actions.openTab('view'), 't': () => actions.openTab('state'), 'f': () => actions.openTab('difference'),
      'j': () => actions.openTab('json'),
    'a': () => { actions.openTab('view'); document.querySelector('#add')?.focus(); },
    'i': panel('why'), 'b': panel('blame'), 'w': leaveOutOrNot, 'x': panel('forms'), 'u': panel('undo'), 'r': panel('undo'),
      'c': panel('bisect'),
    '?': showKeys, 'Escape': () => actions.live(),
  };
  function leaveOutOrNot() {
    const sequence = shownRecord(model);
    if (sequence > model.base) switchRecord(model, sequence);
    actions.openPanel('whatif');
  }

  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey
      || document.querySelector('dialog[open]')) return;
    const target = event.target;
    const isTyping = target.matches?.('input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]');
    if (isTyping) {
      if (event.key === 'Escape') target.blur();
      return;
    }
    const isArrow = event.key.startsWith('Arrow');
    // Arrows belong to trees and tabs. Single-letter keys can be disabled.
    if (isArrow && target.closest?.('[role=tree], [role=tablist], [role=slider], [type=radio]')) return;
    if (event.key.length === 1 && !areOn()) return;
    const action = keys[event.shiftKey && isArrow ? `Shift+${event.key}` : event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}

function areOn() { return localStorage.getItem(storageKey) !== 'off'; }

export function showKeys() {
  const list = h('dl', { class: 'keys' }, table.map(([key, what]) => [h('dt', {}, key), h('dd', {}, what)]));
  const box = h('input', { type: 'checkbox', checked: areOn(),
    onchange: () => localStorage.setItem(storageKey, box.checked ? 'on' : 'off') });
  openDialog({ title: 'Keys', lines: [list, h('label', {}, box, ' Single letters and signs are keys')] });
}
