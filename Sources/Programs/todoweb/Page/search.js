// Searches the log.

import { h } from './dom.js';
import { count } from './format.js';
import { stream } from './wire.js';

const pageRecords = 500;
const typingMilliseconds = 250;

/// The results of a query, newest first, loaded page by page.
export class Search {
  found = [];
  error = null;
  #abort = new AbortController();
  #isRunning = false;
  #isDone = false;
  #reached = null;
  #added = 0;
  #head;

  constructor(question, model, onChange) {
    this.question = question;
    this.model = model;
    this.onChange = () => onChange(this);
    this.#head = model.head;
  }

  get note() {
    const found = `${count(this.found.length)} found`;
    if (this.#isRunning) return `${found}; searching${this.#reached === null ? '' : `, reached @${count(this.#reached)}`}…`;
    return this.#isDone ? `${found}.` : `${found}; there may be more.`;
  }

  /// The number of new results at the front since the last call.
  takeAdded() {
    const added = this.#added;
    this.#added = 0;
    return added;
  }

  index(sequence) {
    let low = 0;
    let high = this.found.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.found[middle].sequence > sequence) low = middle + 1; else high = middle;
    }
    return this.found[low]?.sequence === sequence ? low : -1;
  }

  stop() { this.#abort.abort(); }

  /// Loads the next page unless one is being loaded.
  async more() {
    if (this.#isRunning || this.#isDone) return;
    const to = this.found.length === 0 ? this.#head : this.found.at(-1).sequence - 1;
    if (to <= this.model.base) { this.#isDone = true; return this.onChange(); }
    let came = 0;
    await this.#run({ to: { sequence: to }, limit: pageRecords },
      (records) => { came += records.length; this.found.push(...records); });
    if (this.error === null && came < pageRecords) this.#isDone = true;
    this.onChange();
  }

  async catchUp(head) {
    if (this.#isRunning || head <= this.#head || this.error !== null) return;
    const from = this.#head + 1;
    this.#head = head;
    const newer = [];
    await this.#run({ from: { sequence: from }, to: { sequence: head } }, (records) => newer.push(...records));
    this.found.unshift(...newer);
    this.#added += newer.length;
    this.onChange();
  }

  async #run(range, take) {
    this.#isRunning = true;
    let last = 0;
    try {
      await stream('Log', { ...this.question, ...range, reverse: true }, (reply) => {
        take(reply.records);
        this.#reached = reply.reached ?? null;
        if (performance.now() - last > 50) { last = performance.now(); this.onChange(); }
      }, { signal: this.#abort.signal });
    } catch (error) {
      if (error.name !== 'AbortError') this.error = error.message;
    } finally {
      this.#isRunning = false;
    }
  }
}

/// The search form. `onSearch(query)` is called while typing, with null for an empty query.
export function searchForm({ model, onSearch }) {
  const text = h('input', { id: 'search', type: 'search', placeholder: 'Search the log', ariaLabel: 'Search the log',
    oninput: later });
  const feature = h('select', { onchange: now }, h('option', { value: '' }, 'any'));
  const action = h('input', { type: 'text', placeholder: 'add, todos.add', oninput: later, autocomplete: 'off' });
  const who = h('input', { type: 'number', min: 0, placeholder: '1000', oninput: later });
  const where = h('input', { type: 'text', placeholder: 'new.counter.count < old.counter.count', onchange: now,
    spellcheck: 'false' });
  const path = h('input', { type: 'text', placeholder: 'todos.items[12].title', onchange: now, spellcheck: 'false' });
  const field = (name, control) => h('label', {}, h('span', {}, name), control);
  let timer = 0;

  model.on('features', () => {
    feature.replaceChildren(h('option', { value: '' }, 'any'),
      ...model.features.filter(({ name }) => name !== '').map(({ name }) => h('option', { value: name }, name)));
  });

  function later() {
    clearTimeout(timer);
    timer = setTimeout(now, typingMilliseconds);
  }

  function now() {
    clearTimeout(timer);
    const question = {};
    if (text.value.trim() !== '') question.search = text.value.trim();
    if (feature.value !== '') question.feature = feature.value;
    if (action.value.trim() !== '') question.action = action.value.trim();
    if (who.value !== '') question.origin = Number(who.value);
    if (where.value.trim() !== '') question.where = where.value.trim();
    if (path.value.trim() !== '') question.path = path.value.trim();
    onSearch(Object.keys(question).length === 0 ? null : question);
  }

  return h('form', { role: 'search', onsubmit: (event) => { event.preventDefault(); now(); }, onreset: () => setTimeout(now) },
    text,
    h('details', {}, h('summary', {}, 'Filter'), h('div', { class: 'fields' },
      field('Feature', feature), field('Action', action), field('Who (uid)', who), field('Condition', where),
        field('Changed place', path),
      h('button', { type: 'reset' }, 'Clear'))));
}
