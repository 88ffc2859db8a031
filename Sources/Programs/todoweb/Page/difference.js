// The difference between the shown moment and a second one.

import { fill, h } from './dom.js';
import { count, plural } from './format.js';
import { changeSentence } from './sentence.js';
import { isShown } from './tabs.js';
import { VirtualList } from './virtual.js';
import { stream } from './wire.js';

const changesMax = 65_536;
const pauseMilliseconds = 100;

export function mountDifference(element, { model, actions }) {
  let changes = [];
  let wish = null;
  let asked = '';
  let timer = 0;
  const to = h('select', { ariaLabel: 'Compared with', onchange: update },
    h('option', { value: 'before' }, 'the record before'), h('option', { value: 'now' }, 'now'),
      h('option', { value: 'pinned' }, 'the pinned moment'));
  const note = h('p', { class: 'hint', role: 'status' });
  const list = new VirtualList({
    label: 'Changes', role: 'listbox', rowRole: 'option', rowHeight: 30, class: 'changes', key: (index) => index,
    onActive: (index) => actions.select({ path: placeOf(changes[index]), value: changes[index].new ?? changes[index].old }),
    render: (index, node) => {
      const change = changes[index];
      node ??= h('div', {});
      if (node.change !== change) {
        node.change = change;
        const sign = { insert: '+', remove: '−', move: '↕' }[change.kind] ?? '~';
        const sentence = changeSentence(change);
        fill(node, h('span', { class: `sign ${change.kind}`, 'aria-hidden': 'true' }, sign),
          h('span', { class: 'sentence', title: sentence }, sentence), h('span', { class: 'hint path' }, placeOf(change)));
      }
      node.setAttribute('aria-selected', String(index === list.active));
      return node;
    },
  });
  fill(element, h('div', { class: 'bar' }, h('label', {}, 'Compared with ', to)), note, list.element);
  element.addEventListener('shown', update);
  model.on(['stateSequence', 'pinned', 'head', 'moment', 'connection'], (_, changed) => {
    if (changed.has('pinned') && model.pinned !== null) to.value = 'pinned';
    update();
  });

  function range() {
    switch (to.value) {
      case 'before': return [Math.max(model.base, model.moment - 1), model.moment];
      case 'now': return [model.moment, model.head];
      default: return model.pinned === null ? null : [Math.min(model.pinned, model.moment), Math.max(model.pinned, model.moment)];
    }
  }

  // One request at a time, followed by a pause; then the newest one.
  function update() {
    if (!isShown(element) || model.epoch === null || model.connection !== 'up' || timer !== 0) return;
    const wanted = range();
    if (wanted === null) { show([], 'No moment is pinned. Pin one on the strip of time (d).'); asked = ''; return; }
    if (asked === String(wanted)) return;
    asked = String(wanted);
    timer = setTimeout(() => { timer = 0; update(); }, pauseMilliseconds);
    read(wanted);
  }

  async function read([from, until]) {
    wish?.abort();
    wish = new AbortController();
    const { signal } = wish;
    const found = [];
    try {
      await stream('Diff', { from: { sequence: from }, to: { sequence: until } }, (reply) => {
        for (const change of reply.changes ?? []) found.push(change);
        if (found.length > changesMax) wish.abort();
      }, { signal });
      const many = found.length === 0 ? 'nothing changed' : plural(found.length, 'change');
      show(found, `From @${count(from)} to @${count(until)}: ${many}.`);
    } catch (error) {
      if (error.name === 'AbortError' && found.length > changesMax) show(found,
        `From @${count(from)} to @${count(until)}: the first ${count(changesMax)} changes.`);
      else if (error.name !== 'AbortError') { asked = ''; show([], error.message); }
    }
  }

  function show(found, sentence) {
    changes = found;
    fill(note, sentence);
    list.active = -1;
    list.setCount(changes.length);
  }
}

function placeOf({ path, kind, id, old, new: now }) {
  if (kind === 'set') { const [name] = Object.keys(now ?? old ?? {}); return path === '' ? name : `${path}.${name}`; }
  return id === undefined ? path : `${path}[${id}]`;
}
