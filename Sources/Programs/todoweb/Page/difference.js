// The difference between the shown moment and a second one.

import { fill, h } from './dom.js';
import { count, plural } from './format.js';
import { newest, whileShown } from './panel.js';
import { changePath, changeSentence } from './sentence.js';
import { VirtualList } from './virtual.js';
import { stream } from './wire.js';

const changesMax = 65_536;
const pauseMilliseconds = 100;

export function mountDifference(element, { model, actions }) {
  let changes = [];
  let asked = '';
  const to = h('select', { ariaLabel: 'Compared with', onchange: update },
    h('option', { value: 'before' }, 'the record before'), h('option', { value: 'now' }, 'now'),
    h('option', { value: 'pinned' }, 'the pinned moment'));
  const note = h('p', { class: 'hint', role: 'status' });
  const list = new VirtualList({
    label: 'Changes', role: 'listbox', rowRole: 'option', rowHeight: 30, class: 'changes', key: (index) => index,
    onActive: (index) => actions.selectPath(changePath(changes[index])),
    render: (index, node) => {
      const change = changes[index];
      node ??= h('div', {});
      if (node.change !== change) {
        node.change = change;
        const sign = { insert: '+', remove: '−', move: '↕' }[change.kind] ?? '~';
        const sentence = changeSentence(change);
        fill(node, h('span', { class: `sign ${change.kind}`, 'aria-hidden': 'true' }, sign),
          h('span', { class: 'sentence', title: sentence }, sentence), h('span', { class: 'hint path' }, changePath(change)));
      }
      node.setAttribute('aria-selected', String(index === list.active));
      return node;
    },
  });
  const question = newest({ pause: pauseMilliseconds, run: read, onError: (error) => { asked = ''; show([], error.message); } });
  fill(element, h('div', { class: 'bar' }, h('label', {}, 'Compared with ', to)), note, list.element);
  model.on('redactions', () => { asked = ''; });
  model.on('pinned', () => { if (model.pinned !== null) to.value = 'pinned'; });
  whileShown(element, model, ['stateSequence', 'pinned', 'head', 'moment', 'connection'], update);

  function range() {
    switch (to.value) {
      case 'before': return [Math.max(model.base, model.moment - 1), model.moment];
      case 'now': return [model.moment, model.head];
      default: return model.pinned === null ? null : [Math.min(model.pinned, model.moment), Math.max(model.pinned, model.moment)];
    }
  }

  function update() {
    if (model.epoch === null || model.connection !== 'up') return;
    const wanted = range();
    if (asked === String(wanted)) return;
    asked = String(wanted);
    if (wanted !== null) return question.ask(wanted);
    question.stop();
    show([], 'No moment is pinned. Pin one on the strip of time (d).');
  }

  async function read(signal, [from, until]) {
    const found = [];
    let isCut = false;
    await stream('Diff', { from: { sequence: from }, to: { sequence: until } }, (reply) => {
      for (const change of reply.changes ?? []) found.push(change);
      isCut = found.length > changesMax;
      if (isCut) throw new DOMException('enough', 'AbortError');
    }, { signal }).catch((error) => { if (!isCut) throw error; });
    const many = found.length === 0 ? 'nothing changed' : plural(found.length, 'change');
    show(found, `From @${count(from)} to @${count(until)}: ${isCut ? `the first ${many}` : many}.`);
  }

  function show(found, sentence) {
    changes = found;
    fill(note, sentence);
    list.active = -1;
    list.setCount(changes.length);
  }
}
