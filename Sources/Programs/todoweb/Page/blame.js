// Blame: the last writer of a value and of each place below it, its history, and a plot of a number.

import { isRecord, valueAt } from './changes.js';
import { fill, h } from './dom.js';
import { count, short, when } from './format.js';
import { attended, link, newest, note, recordLink, refill, section, whileShown, who } from './panel.js';
import { propose, revertTo } from './propose.js';
import { changeSentence, placeName, recordSentence } from './sentence.js';
import { seriesForm } from './series.js';
import { capitalised, compact } from './visible.js';
import { stream } from './wire.js';

const pageRecords = 25;
const placesMax = 300;
const pauseMilliseconds = 150;

export function mount(element, context) {
  const { model, actions } = context;
  const status = note();
  const input = h('input', { type: 'text', class: 'code', id: 'blame-path', spellcheck: 'false', autocapitalize: 'off',
    placeholder: 'todos.items[12].title' });
  const form = h('form', { class: 'bar', onsubmit: (event) => { event.preventDefault(); choose(input.value.trim()); } },
    h('label', { for: 'blame-path' }, 'Value'), input, h('button', { type: 'submit' }, 'Who set it?'));
  const content = h('div', { class: 'content' });
  const series = seriesForm(context);
  fill(element, form, status.element, content, section('A number along the log', series.element));
  let shown = '';
  const question = newest({ pause: pauseMilliseconds, patience: 1000, run: read,
    onError: (error) => { shown = ''; fill(content); status.fail(error); } });
  const isAttended = attended(content, update);
  let shownPath = null;
  model.on('redactions', () => { shown = ''; fill(content); });
  whileShown(element, model, ['selection', 'stateSequence', 'epoch', 'readOnly', 'connection'], update);

  function update() {
    const path = model.selection?.path;
    if (model.live && path === shownPath && shown !== '' && isAttended()) return;
    if (path === undefined) {
      if (shown === '') status.say('Point at a value in the state, or write its path.');
      return;
    }
    if (document.activeElement !== input) input.value = path;
    const wish = JSON.stringify([path, model.stateSequence, model.epoch, model.readOnly]);
    if (wish === shown || model.epoch === null || model.stateSequence < 0 || model.connection !== 'up') return;
    shown = wish;
    shownPath = path;
    question.ask(path, model.stateSequence);
  }

  // Refresh after changes made here, although the user is still in the panel.
  function again() { shown = ''; }

  function choose(path) {
    if (path === '') return status.say('Write a path, such as counter.count or todos.items[12].title.');
    shown = '';
    actions.select({ path, value: valueAt(model.state, path) });
  }

  async function read(signal, path, at) {
    const value = valueAt(model.state, path);
    const isBranch = value !== null && typeof value === 'object';
    const [blamed, below, history] = await Promise.all([
      blame({ path, at: { sequence: at } }, signal),
      isBranch ? blame({ path, at: { sequence: at }, all: true }, signal) : null,
      page(path, undefined, signal),
    ]);
    status.say('');
    const [origin] = blamed.origins;
    refill(content,
      h('h2', {}, placeName(path) === path ? path : capitalised(placeName(path))),
      h('p', { class: 'said' }, value === undefined ? `Nothing stands there at @${at}.`
        : ['It is ', h('strong', {}, inWords(path, value)), ` at @${at}.`]),
      origin === undefined ? h('p', {}, begun(blamed, value)) : setBy(origin, blamed),
      tools(path, at, value),
      below === null || below.origins.length < 2 ? null : section('Each value below it', places(below, path)),
      section('Its history', historyList(path, history)));
    if (typeof value === 'number') series.show(path);
    else if (Array.isArray(value)) series.suggest(`count(${path})`);
  }

  async function blame(input, signal) {
    const found = { origins: [], records: new Map(), cut: false };
    await stream('Blame', input, ({ reached, origins, records, cut, base, archive }) => {
      if (reached !== undefined) status.say(`Looked back to @${count(reached)}…`);
      for (const origin of origins) if (found.origins.length < placesMax) found.origins.push(origin); else found.cut = true;
      for (const record of records) found.records.set(record.sequence, record);
      Object.assign(found, { base, archive, cut: found.cut || cut === true });
    }, { signal });
    return found;
  }

  function begun({ base, archive }, value) {
    if (archive !== undefined) return `It was set in the archive ${archive} or an earlier one.`;
    if (base !== undefined) return `It was already so before @${base + 1}, where this log begins.`;
    return value === undefined ? 'No record gave it a value.' : 'No record set it: it is an initial value.';
  }

  function setBy(origin, { records }) {
    const record = records.get(origin.sequence);
    // Changes of a whole element are part of its history.
    const isSingle = [origin.old, origin.new].some((held) => held !== undefined && 'value' in held && !isRecord(held.value));
    const value = (held) => held === undefined ? 'nothing' : compact(held.value, origin.path);
    return [
      h('p', {}, 'Set by ', record === undefined ? `@${origin.sequence}` : [recordLink(record, context),
        h('span', { class: 'hint' }, ` ${when(record.time)}, ${who(record.origin)}`)]),
      isSingle ? h('p', { class: 'hint' }, `${value(origin.old)} → ${value(origin.new)}`) : null,
    ];
  }

  function tools(path, at, value) {
    const button = (text, onclick) => h('button', { type: 'button', onclick }, text);
    const where = placeName(path);
    return h('div', { class: 'choice tools' },
      model.readOnly ? null : [
        button('Undo its last change…', () => propose(context, {
          method: 'Undo', input: { place: path }, title: `Undo the last change of ${where}?`, yes: 'Undo it',
          done: `Undid the last change of ${where}.`, nothing: 'Nothing would change.',
        }).then(again)),
        model.live ? null : button(`Put it back as at @${at}…`, () => revertTo(context, at, path).then(again)),
      ],
      typeof value === 'number' ? null : button('Find when it changed', () => {
        model.set({ wishedExpression: Array.isArray(value) ? `count(${path}) > ${value.length - 1}` : condition(path, value) });
        actions.openPanel('bisect');
      }));
  }

  function places({ origins, records, cut }, path) {
    const name = (place) => place === path ? 'itself' : place.startsWith(path) ? place.slice(path.length).replace(/^\./, '')
      : place;
    return [h('table', { class: 'places' },
      h('thead', {}, h('tr', {}, ['Place', 'Value', 'Set by'].map((title) => h('th', { scope: 'col' }, title)))),
      h('tbody', {}, origins.map((origin) => {
        const record = records.get(origin.sequence);
        const value = origin.new === undefined ? '' : compact('value' in origin.new ? origin.new.value : origin.new,
          origin.path);
        return h('tr', {},
          h('th', { scope: 'row' }, link(name(origin.path), () => choose(origin.path), { title: origin.path })),
          h('td', {}, value), h('td', {}, link(`@${origin.sequence}`, () => actions.select({ sequence: origin.sequence }),
            { title: record === undefined ? null : recordSentence(record) })));
      }))), cut ? h('p', { class: 'hint' }, 'There are more places than are shown.') : null];
  }

  // Newest changes first, including those after the shown moment.
  async function page(path, to, signal) {
    const found = [];
    await stream('Log', { path, reverse: true, changes: true, limit: pageRecords, ...to === undefined ? {}
      : { to: { sequence: to } } },
      ({ records, details }) => records.forEach((record, index) => found.push({ record, changes: details?.[index]?.changes })),
      { signal });
    return found;
  }

  function historyList(path, first) {
    if (first.length === 0) return h('p', { class: 'hint' }, 'No record changed it.');
    const list = h('ol', { class: 'history' });
    const more = h('button', { type: 'button', onclick: older }, 'Older');
    let last = 0;
    const add = (entries) => {
      for (const { record, changes } of entries) {
        list.append(h('li', { class: record.sequence > model.moment ? 'future' : null }, recordLink(record, context, changes),
          h('span', { class: 'hint' }, ` ${when(record.time)}, ${who(record.origin)}`),
          (changes ?? []).slice(0, 3).map((change) => h('div', { class: 'change' }, changeSentence(change)))));
        last = record.sequence;
      }
      more.hidden = entries.length < pageRecords || last <= model.base + 1;
    };
    add(first);
    return [list, more];

    async function older() {
      more.disabled = true;
      try { add(await page(path, last - 1)); } catch (error) { status.fail(error); }
      more.disabled = false;
    }
  }
}

// A value in one line; a list by its length.
function inWords(path, value) { return Array.isArray(value) ? short(value) : compact(value, path); }

function condition(path, value) {
  if (value === undefined || value === null || isRecord(value)) return `${path} != null`;
  return `${path} == ${JSON.stringify(value)}`;
}

