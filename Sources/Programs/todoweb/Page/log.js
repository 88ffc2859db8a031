// The log: a virtual list of all records.

import { h, fill } from './dom.js';
import { clock, day, dayNumber, when } from './format.js';
import { painted } from './model.js';
import { who } from './panel.js';
import { Search, searchField } from './search.js';
import { VirtualList } from './virtual.js';

/// How long new records wait for the state, which is loaded first.
const stateMilliseconds = 100;

export function mount(element, { model, actions }) {
  const { records } = actions;
  let search = null;
  let length = 0;

  const list = new VirtualList({
    label: 'Records', role: 'listbox', rowRole: 'option', rowHeight: 30, class: 'records',
    key: (index) => sequenceAt(index), render,
    onActive: (index) => actions.go(sequenceAt(index)),
    onRange: (first, last) => {
      if (search !== null && last > search.found.length - 64) search.more();
      const visible = [];
      for (let index = Math.max(0, first); index <= last; index++) visible.push(sequenceAt(index));
      records.want(visible);
    },
  });
  const note = h('p', { class: 'hint', role: 'status' });
  const none = h('p', { class: 'hint' });
  const form = searchField({ onSearch: begin });
  actions.search = form.search;
  fill(element, h('h2', { id: 'log-title' }, 'Log'), form.element, note, none, list.element);

  // The state has priority.
  records.onLoad = () => {
    if (model.stateSequence === model.moment) list.refresh(); else setTimeout(() => list.refresh(), stateMilliseconds);
  };
  records.onForget = () => { if (search !== null) begin(search.question); else list.refresh(); };
  model.on(['head', 'base', 'epoch', 'connection'], (_, changed) => {
    const isBack = changed.has('connection') && model.connection === 'up';
    if (search !== null && (changed.has('epoch') || isBack && search.error !== null)) begin(search.question);
    if (search === null) resize();
  });
  // A new state provides the titles of records that came with the stream.
  model.on('state', () => painted().then(() => list.refresh()));
  model.on(['moment', 'live', 'undone', 'pinned'], (_, changed) => {
    if (changed.has('moment') && !model.live) reveal();
    else if (changed.has('live') && model.live) { list.active = -1; list.show(0); }
    list.refresh();
  });

  function recordAt(index) { return search === null ? records.get(sequenceAt(index)) : search.found[index]; }

  function sequenceAt(index) { return search === null ? model.base + length - index : search.found[index]?.sequence ?? -index; }

  function indexOf(sequence) { return search === null ? model.base + length - sequence : search.index(sequence); }

  function resize() {
    const added = model.head - model.base - length;
    length = model.head - model.base;
    none.textContent = length > 0 ? '' : model.connection === 'lost' ? 'Without its token this page can show no record.'
      : model.epoch === null ? '' : 'No record yet.';
    list.setCount(length, Math.max(0, added));
  }

  function reveal() {
    const index = indexOf(model.moment);
    if (index < 0 || index >= list.count) return;
    if (list.active !== index) { list.active = index; list.show(index, { center: true }); }
  }

  function begin(question) {
    search?.stop();
    none.textContent = '';
    list.active = -1;
    if (question === null) {
      search = null;
      note.textContent = '';
      length = 0;
      resize();
      if (!model.live) reveal();
      return;
    }
    search = new Search(question, model, (mine) => {
      if (mine !== search) return;
      list.setCount(search.found.length);
      note.classList.toggle('error', search.error !== null);
      fill(note, search.error ?? search.note);
    });
    search.more();
    list.setCount(0);
    list.show(0);
  }

  function render(index, node) {
    const sequence = sequenceAt(index);
    const record = recordAt(index);
    node ??= h('div', { class: 'record' });
    // A row is only rebuilt if its content has changed.
    const above = record !== undefined && index > 0 ? recordAt(index - 1) : undefined;
    const isNewDay = record !== undefined && above !== undefined && dayNumber(above.time) !== dayNumber(record.time);
    const isUndone = record !== undefined && model.undone.has(record.step);
    const sentence = record === undefined ? '…' : records.sentence(record);
    const face = record === undefined ? 'none' : [record.sequence, isNewDay, isUndone, sentence].join(' ');
    if (node.dataset.face !== face) {
      node.dataset.face = face;
      const sign = h('span', { class: 'sequence' }, sequence > 0 ? `@${sequence}` : '');
      fill(node, record === undefined ? [sign, '…'] : [sign, parts(record, isNewDay, sentence)]);
      node.classList.toggle('undone', isUndone);
      node.classList.toggle('in-step', record !== undefined && record.step !== record.sequence);
      node.classList.toggle('caused', record?.cause !== undefined);
    }
    const isNow = sequence === model.moment;
    node.classList.toggle('future', sequence > model.moment && !model.live);
    node.classList.toggle('now', isNow && !model.live);
    node.classList.toggle('pinned', sequence === model.pinned);
    node.setAttribute('aria-selected', String(index === list.active || isNow && !model.live));
    return node;
  }

  resize();
}

function parts(record, isNewDay, sentence) {
  const written = isNewDay ? `${day(record.time)} ${clock(record.time)}` : clock(record.time);
  const time = h('time', { datetime: new Date(record.time / 1000).toISOString(), title: when(record.time) }, written);
  const notes = [
    record.cause === undefined ? null : h('span', { class: 'chip' }, `↳ @${record.cause.sequence}`),
    record.undoes === undefined ? null : h('span', { class: 'chip' }, `↶ @${record.undoes}`),
    record.commands.map((command) => h('span', { class: 'chip command' }, `→ ${command.name}`)),
  ];
  return [
    h('span', { class: 'rail', 'aria-hidden': 'true' }),
    h('span', { class: 'sentence', title: sentence }, sentence), notes,
    record.step === record.sequence ? h('span', { class: 'who' }, who(record.origin)) : null, time,
  ];
}
